# Manual pages of section 3, from the comments in the public headers.
#
#     awk -f functions.awk -v out=FOLDER -v date=DATE -v version=VERSION \
#         package=tutti a.h b.h package=tutti-mpi c.h
#
# A header is read in blocks, which blank lines part: comments, and the declarations behind them. A
# block that declares functions becomes a page, under the name of the first, and the others become
# links to it. What the rest declares, types above all, is on a page for the whole header; links lead
# there from the name of each type. `package` is the pkg-config name of the headers after it, or "".
#
# In comments, lines that are indented further are shown as they are. What follows "Errors" in a
# paragraph becomes the section ERRORS, with the sentences of the enum of errors, and a sentence that
# begins with "Returns" becomes RETURN VALUE.

FNR == 1 {
    finish_block()
    header = FILENAME
    sub(/^(.*\/)?include\//, "", header)
    headers[++nheaders] = header
    package_of[header] = package
    skipping = depth = 0
}

# What is there for the compiler only.
/^#ifdef __cplusplus/ { skipping = 1 }
skipping { if (/^#endif/) skipping = 0; next }
/^#(if|ifdef|ifndef|else|endif|include|undef)/ || /^#define [A-Z0-9_]+_H$/ { next }
/^#define/ || in_macro {
    if (!in_macro && !/\\$/ && NF > 2)
        add_code($0)
    in_macro = /\\$/
    next
}

/^$/ && depth == 0 && !in_comment { finish_block(); next }
depth == 0 && !in_comment && /^\/\*/ { in_comment = 1; if (ntext) text[++ntext] = "" }
in_comment {
    line = $0
    sub(/^\/\*+ ?/, "", line)
    sub(/^ \*\/?( |$)/, "", line)
    sub(/ *\*\/$/, "", line)
    if (line != "" || ntext)
        text[++ntext] = line
    if (/\*\//)
        in_comment = 0
    next
}
{
    bare = $0
    gsub(/\/\*[^*]*\*\//, "", bare)
    depth += gsub(/\{/, "{", bare) - gsub(/\}/, "}", bare)
    add_code($0)
}

END {
    finish_block()
    read_errors()
    for (b = 1; b <= nblocks; b++)
        if (functions_of[b] != "")
            write_functions(b)
    for (h = 1; h <= nheaders; h++)
        write_header(headers[h])
}

function add_code(line) { code[++ncode] = line }

function finish_block(    i, b) {
    while (ntext && text[ntext] == "")
        ntext--
    if (ntext && ncode == 0 && text[1] ~ /^---/)
        ntext = 0
    if (ntext + ncode == 0)
        return
    b = ++nblocks
    header_of[b] = header
    for (i = 1; i <= ntext; i++)
        block_text[b, i] = text[i]
    for (i = 1; i <= ncode; i++)
        block_code[b, i] = code[i]
    texts[b] = ntext
    codes[b] = ncode
    functions_of[b] = functions_in(b)
    if (functions_of[b] == "")
        find_types(b)
    ntext = ncode = 0
}

# The names of the functions that a block declares, with blanks between. Their declarations, without
# comments, become prototype[name]; a comment behind one becomes a paragraph.
function functions_in(b,    i, line, whole, names, name, comment) {
    if (block_code[b, 1] !~ /^(TUTTI_API |static inline )?[a-z].*\(/ || block_code[b, 1] ~ /^typedef/)
        return ""
    for (i = 1; i <= codes[b]; i++) {
        line = block_code[b, i]
        comment = ""
        if (match(line, /\/\*.*\*\//)) {
            comment = substr(line, RSTART + 3, RLENGTH - 6)
            line = substr(line, 1, RSTART - 1)
            sub(/ +$/, "", line)
        }
        if (!sub(/^TUTTI_API /, "", line) && block_code[b, 1] ~ /^TUTTI_API/)
            sub(/^          /, "", line)
        if (line == "{")
            break # the body of an inline function
        whole = whole (whole == "" ? "" : "\n") line
        if (line !~ /;$/ && block_code[b, i + 1] != "{")
            continue
        name = whole
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        sub(/;?$/, ";", whole)
        prototype[name] = whole
        page_of[name] = b
        names = names (names == "" ? "" : " ") name
        if (comment != "") {
            if (texts[b])
                block_text[b, ++texts[b]] = ""
            block_text[b, ++texts[b]] = name ": " comment "."
        }
        whole = ""
    }
    return names
}

# type_block[name], for what a block defines: structs, enums, typedefs.
function find_types(b,    i, line, name) {
    for (i = 1; i <= codes[b]; i++) {
        line = block_code[b, i]
        if (match(line, /^(typedef )?(struct|enum) [a-z0-9_]+/)) {
            name = substr(line, RSTART, RLENGTH)
            sub(/.* /, "", name)
            if (line !~ /;$/ || line ~ /\{/ || !(name in type_block))
                type_block[name] = b
        } else if (match(line, /^typedef .*\(\*[a-z0-9_]+\)/)) {
            name = substr(line, RSTART, RLENGTH)
            sub(/.*\(\*/, "", name)
            sub(/\)$/, "", name)
            type_block[name] = b
        }
        # Given away by the include path: foreign types, such as a stream of CUDA.
        if (name !~ /^(tutti|reverse_a2a)_/)
            delete type_block[name]
    }
}

# meaning[constant]: what the comments in the enums of errors say.
function read_errors(    b, i, line, name) {
    for (b = 1; b <= nblocks; b++) {
        if (block_code[b, 1] !~ /^enum (tutti_error|reverse_a2a_result) /)
            continue
        for (i = 2; i < codes[b]; i++) {
            line = block_code[b, i]
            if (match(line, /^ *[A-Z0-9_]+ =/)) {
                name = substr(line, RSTART, RLENGTH)
                gsub(/[ =]/, "", name)
            }
            if (sub(/.*\/\* */, "", line) || line !~ /=/) {
                gsub(/^ +| *\*\/.*/, "", line)
                meaning[name] = meaning[name] (meaning[name] == "" ? "" : " ") line
            }
        }
    }
}

# ---- writing ----

function escape(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    if (s ~ /^[.']/)
        s = "\\&" s
    return s
}

# Filled text, our own names in bold.
function fill(s) {
    gsub(/^ +| +$/, "", s)
    gsub(/\\/, "\\e", s)
    gsub(/ -/, " \\-", s)
    gsub(/`/, "", s)
    gsub(/(tutti|TUTTI|reverse_a2a|REVERSE_A2A)_[A-Za-z0-9_]+/, "\\fB&\\fR", s)
    fold(s)
}

# Writes text in lines of fewer than 80 bytes.
function fold(s,    n, words, i, line) {
    n = split(s, words, / +/)
    line = words[1]
    for (i = 2; i <= n; i++) {
        if (length(line) + length(words[i]) > 76) {
            put(line)
            line = words[i]
        } else {
            line = line " " words[i]
        }
    }
    put(line)
}

function put(line) {
    if (line ~ /^[.']/)
        line = "\\&" line
    print line > file
}

# A paragraph of a block's text, from line i on: sets paragraph, and shown to 1 if it is to be shown
# as it is. The number of the line behind it, or 0 at the end.
function next_paragraph(b, i,    line) {
    while (i <= texts[b] && block_text[b, i] == "")
        i++
    if (i > texts[b])
        return 0
    paragraph = ""
    shown = block_text[b, i] ~ /^    /
    while (i <= texts[b] && block_text[b, i] != "" && (block_text[b, i] ~ /^    /) == shown) {
        line = block_text[b, i++]
        if (shown)
            sub(/^    /, "", line)
        paragraph = paragraph (paragraph == "" ? "" : shown ? "\n" : " ") line
    }
    return i
}

function example(s,    n, lines, i) {
    print ".PP\n.EX" > file
    n = split(s, lines, /\n/)
    for (i = 1; i <= n; i++)
        print escape(lines[i]) > file
    print ".EE" > file
}

# Writes a block's text, the first one of a section or not; keeps what belongs to other sections of a page of functions in returns and
# errors.
function write_text(b, of_functions, first,    i, tail) {
    returns = errors = ""
    for (i = next_paragraph(b, 1); i; i = next_paragraph(b, i)) {
        if (shown) {
            example(paragraph)
            continue
        }
        if (of_functions && match(paragraph, /(^|[.;] )Errors?[:, ]/)) {
            tail = substr(paragraph, RSTART)
            sub(/^[.;]? ?(Errors: )?/, "", tail)
            errors = errors (errors == "" ? "" : " ") tail
            paragraph = before(paragraph)
        }
        if (of_functions && match(paragraph, /(^|[.;] )Returns .*/)) {
            tail = substr(paragraph, RSTART)
            paragraph = before(paragraph)
            sub(/^[.;] /, "", tail)
            # Up to the end of that sentence.
            if (match(tail, /[.] [A-Z]/)) {
                paragraph = paragraph (paragraph == "" ? "" : " ") substr(tail, RSTART + 2)
                tail = substr(tail, 1, RSTART)
            }
            returns = returns (returns == "" ? "" : " ") tail
        }
        sub(/;$/, ".", paragraph)
        if (paragraph == "")
            continue
        if (!first)
            print ".PP" > file
        first = 0
        fill(paragraph)
    }
}

# What is before a match, with the end of its sentence.
function before(s) { return RSTART == 1 ? "" : substr(s, 1, RSTART) }

# The first sentence, or what there is of it before a colon: for the section NAME.
function summary(b,    i, s) {
    i = next_paragraph(b, 1)
    if (!i || shown)
        return ""
    s = paragraph
    sub(/^Local\. /, "", s)
    sub(/^Collective[^.]*\. /, "", s)
    if (match(s, /[.:;]( |$)| \(/))
        s = substr(s, 1, RSTART - 1)
    if (length(s) > 70 && match(s, /, /))
        s = substr(s, 1, RSTART - 1)
    gsub(/`/, "", s)
    if (s !~ /^[A-Z][A-Z]/)
        s = tolower(substr(s, 1, 1)) substr(s, 2)
    return s
}

function begin_page(name) {
    file = out "/" name ".3"
    pages[name] = 1
    printf ".\\\" Made from the headers' comments.\n.TH %s 3 %s \"tutti %s\" \"C library\"\n",
        toupper(escape(name)), date, version > file
}

function link(name, to) {
    print "ln -s " to ".3 " out "/" name ".3" | "sh"
}

function page_name(header) {
    gsub(/\//, "_", header)
    return header
}

function write_link_flags(header) {
    if (package_of[header] == "")
        return
    print ".PP\nCompile and link with" > file
    print ".RI $( \"pkg\\-config \\-\\-cflags \\-\\-libs " escape(package_of[header]) "\" )." > file
}

function see(name, section) {
    if (!((name, file) in seen))
        also = also (also == "" ? "" : ",\n") ".BR " escape(name) " (" section ")"
    seen[name, file] = 1
}

function write_see_also(    n, lines, i) {
    see("tutti", 7)
    n = split(also, lines, /\n/)
    print ".SH SEE ALSO" > file
    for (i = 1; i <= n; i++) {
        sub(/,$/, " ,", lines[i])
        sub(/\) ,$/, "),", lines[i])
        print lines[i] > file
    }
    close(file)
    also = ""
}

# The definitions that a prototype needs: of the types that it names, and of what callbacks among
# them are handed.
function write_types(b, text, level,    n, words, i, t, j, of, s) {
    gsub(/[^A-Za-z0-9_]+/, " ", text)
    n = split(text, words, / /)
    for (i = 1; i <= n; i++) {
        t = words[i]
        if (!(t in type_block) || ((t, b) in written))
            continue
        written[t, b] = 1
        of = type_block[t]
        s = ""
        for (j = 1; j <= codes[of]; j++)
            s = s (j > 1 ? "\n" : "") block_code[of, j]
        if (s !~ /[{(]/)
            continue # opaque
        if (codes[of] > 1 && s !~ /\{/) # of a family of callbacks, the one
            for (j = 1; j <= codes[of]; j++)
                if (block_code[of, j] ~ ("[*]" t "\\)"))
                    s = block_code[of, j]
        example(s)
        if (level == 0 && s !~ /\{/)
            write_types(b, s, 1)
    }
}

function mention(text, self,    n, words, i) {
    gsub(/[^A-Za-z0-9_]+/, " ", text)
    n = split(text, words, / /)
    for (i = 1; i <= n; i++)
        if (words[i] in page_of && page_of[words[i]] != self)
            see(words[i], 3)
}

function write_functions(b,    names, n, i, all, s, t) {
    n = split(functions_of[b], names, / /)
    begin_page(names[1])
    s = names[1]
    for (i = 2; i <= n; i++) {
        s = s ", " names[i]
        link(names[i], names[1])
    }
    t = summary(b)
    if (t == "")
        problem(names[1] " has no comment")
    print ".SH NAME" > file
    fold(s " \\- " t)
    print ".SH SYNOPSIS\n.nf" > file
    print ".B #include <" escape(header_of[b]) ">\n.PP" > file
    for (i = 1; i <= n; i++) {
        s = escape(prototype[names[i]])
        gsub(/\n/, "\\fP\n\\fB", s)
        print "\\fB" s "\\fP" > file
        all = all " " prototype[names[i]]
    }
    print ".fi" > file
    write_link_flags(header_of[b])
    print ".SH DESCRIPTION" > file
    write_text(b, 1, 1)
    write_types(b, all, 0)
    write_returns(all)
    for (i = 1; i <= texts[b]; i++)
        all = all " " block_text[b, i]
    see(page_name(header_of[b]), 3)
    mention(all, b)
    write_see_also()
}

function write_returns(prototypes,    ok, prefix, rest, n, words, i, w, seen_here) {
    prefix = prototypes ~ /tutti_/ ? "TUTTI_ERR_" : "REVERSE_A2A_ERROR_"
    ok = prototypes ~ /tutti_/ ? "TUTTI_SUCCESS" : "REVERSE_A2A_OK"
    if (returns != "" || errors != "")
        print ".SH RETURN VALUE" > file
    if (returns != "")
        fill(returns)
    else if (errors != "")
        fill(ok ", or a negative number, which is one of those below.")
    if (errors == "")
        return
    print ".SH ERRORS" > file
    rest = errors
    gsub(/[A-Z0-9_]+|[,. ]/, "", rest)
    if (rest != "") # more than names
        fill(errors)
    gsub(/[^A-Z0-9_]+/, " ", errors)
    n = split(errors, words, / /)
    for (i = 1; i <= n; i++) {
        w = words[i]
        if (w !~ ("^" prefix))
            w = prefix w
        if (!(w in meaning) || (w in seen_here))
            continue
        seen_here[w] = 1
        print ".TP\n.B " escape(w) > file
        fill(meaning[w])
    }
}

function write_header(header,    b, i, name, t, first, s, names, n) {
    name = page_name(header)
    begin_page(name)
    for (first = 1; header_of[first] != header; first++)
        ;
    print ".SH NAME" > file
    fold(name " \\- " summary(first))
    print ".SH SYNOPSIS\n.B #include <" escape(header) ">" > file
    write_link_flags(header)
    print ".SH DESCRIPTION" > file
    write_text(first, 0, 1)
    for (b = first + 1; b <= nblocks; b++) {
        if (header_of[b] != header)
            continue
        if (functions_of[b] != "") {
            n = split(functions_of[b], names, / /)
            for (i = 1; i <= n; i++)
                see(names[i], 3)
            continue
        }
        write_text(b, 0, 0)
        s = ""
        for (i = 1; i <= codes[b]; i++)
            s = s (i > 1 ? "\n" : "") block_code[b, i]
        if (s != "")
            example(s)
    }
    for (t in type_block)
        if (header_of[type_block[t]] == header && !(t in page_of))
            link(t, name)
    write_see_also()
}

function problem(what) {
    print "functions.awk: " what > "/dev/stderr"
    failed = 1
    exit 1
}
