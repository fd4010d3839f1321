/* tutti completion: a script for bash, from the table of subcommands and their options. */
#include <string.h>

#include "command.h"
#include "print.h"

static error_t parse(int key, char *text, struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_ARG:
        if (strcmp(text, "bash") != 0)
            argp_error(state, "%s: only bash is known", text);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "the shell's name is missing");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .parser = parse,
    .args_doc = "bash",
    .doc = "Print a script that completes subcommands and their options in bash."
           "\vTo try it: eval \"$(tutti completion bash)\". Installed, it is loaded by "
           "bash-completion.\n\nExit status: 0; 2 wrong usage."};

/* The long options, those of children, too, each with a blank before it; with "=" where there is a
 * value. */
static void print_options(const struct argp *of)
{
    for (const struct argp_option *option = of->options; option && option->name; option++)
        if (!(option->flags & OPTION_HIDDEN))
            printf(" --%s%s", option->name, option->arg ? "=" : "");
    for (const struct argp_child *child = of->children; child && child->argp; child++)
        print_options(child->argp);
}

static int run(int argc, char **argv)
{
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    fputs("# Completion of tutti for bash; made by: tutti completion bash\n"
          "_tutti()\n"
          "{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} options=\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W \"",
          stdout);
    for (size_t i = 0; commands[i]; i++)
        printf("%s ", commands[i]->name);
    fputs("--help --version\" -- \"$word\"))\n"
          "        return\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          stdout);
    for (size_t i = 0; commands[i]; i++) {
        printf("    %s) options=\"", commands[i]->name);
        print_options(commands[i]->argp);
        puts(" --help --usage --version\" ;;");
    }
    fputs("    esac\n"
          "    if [ \"${word#-}\" != \"$word\" ]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
          "        case ${COMPREPLY-} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
          "    else\n"
          "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "    fi\n"
          "}\n"
          "complete -F _tutti tutti\n",
          stdout);
    return STATUS_OK;
}

const struct command completion_command = {
    .name = "completion", .summary = "a script for bash", .argp = &argp, .run = run};
