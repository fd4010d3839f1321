/* Describes the machine through hwloc, and the software through what it says about itself. */
#include "hardware.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include <hwloc.h>

#include <tutti/version.h>

/* Values come from firmware and libraries; a line break in one would be a second line. */
static void add_line(struct text *lines, const char *name, const char *value)
{
    text_add(lines, "%s = ", name);
    for (; *value; value++)
        text_add(lines, "%c", (unsigned char)*value < 0x20 || *value == 0x7F ? ' ' : *value);
    text_add(lines, "\n");
}

static const char *cpu_model(hwloc_topology_t topology)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (!model)
        model = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "CPUModel");
    return model ? model : "unknown";
}

static void add_count(struct text *lines, const char *name, hwloc_topology_t topology,
                      hwloc_obj_type_t type)
{
    text_add(lines, "%s = %d\n", name, hwloc_get_nbobjs_by_type(topology, type));
}

static void add_last_level_cache(struct text *lines, hwloc_topology_t topology)
{
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
                                             HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE,
                                             HWLOC_OBJ_L1CACHE};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, types[i], 0);
        if (!cache)
            continue;
        text_add(lines, "last_level_cache = %d x %llu KiB\n",
                 hwloc_get_nbobjs_by_type(topology, types[i]),
                 (unsigned long long)(cache->attr->cache.size >> 10));
        return;
    }
    text_add(lines, "last_level_cache = unknown\n");
}

/* Not the amount of memory: a virtual machine's changes while it runs. */
static void add_topology(struct text *lines, hwloc_topology_t topology)
{
    add_line(lines, "cpu", cpu_model(topology));
    add_count(lines, "packages", topology, HWLOC_OBJ_PACKAGE);
    add_count(lines, "cores", topology, HWLOC_OBJ_CORE);
    add_count(lines, "processing_units", topology, HWLOC_OBJ_PU);
    add_count(lines, "numa_nodes", topology, HWLOC_OBJ_NUMANODE);
    add_last_level_cache(lines, topology);
}

void hardware_describe(struct text *lines)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0) {
        add_line(lines, "cpu", "unknown");
        return;
    }
    /* The machine stays the same when a job is given other cores of it. */
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    /* Asking the processor itself would bind the program's thread to each core in turn, and wait
     * for each; the system knows the same. */
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_load(topology) == 0)
        add_topology(lines, topology);
    else
        add_line(lines, "cpu", "unknown");
    hwloc_topology_destroy(topology);
}

/* Finds the build id in one segment of notes: a header, the name, the description, both padded
 * to 4. */
static bool add_build_id(const unsigned char *notes, size_t size, struct text *lines)
{
    ElfW(Nhdr) note;
    for (size_t at = 0; at + sizeof note <= size;) {
        memcpy(&note, notes + at, sizeof note);
        const size_t name = at + sizeof note;
        const size_t description = name + ((note.n_namesz + 3U) & ~3U);
        if (description + note.n_descsz > size)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0) {
            for (size_t i = 0; i < note.n_descsz; i++)
                text_add(lines, "%02x", notes[description + i]);
            return true;
        }
        at = description + ((note.n_descsz + 3U) & ~3U);
    }
    return false;
}

/* Looks at the first object only, which is the program itself. */
static int visit_program(struct dl_phdr_info *info, size_t size, void *lines)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE)
            continue;
        const unsigned char *notes =
            (const unsigned char *)(uintptr_t)(info->dlpi_addr + segment->p_vaddr);
        if (add_build_id(notes, segment->p_memsz, lines))
            break;
    }
    return 1;
}

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

void environment_describe(const char *transport, struct text *lines)
{
    add_line(lines, "transport", transport ? transport : "");
    add_line(lines, "tutti", TUTTI_VERSION);
    add_line(lines, "compiler", COMPILER);
    text_add(lines, "%s = ", ENVIRONMENT_BUILD_ID);
    dl_iterate_phdr(visit_program, lines);
    text_add(lines, "\n");
}
