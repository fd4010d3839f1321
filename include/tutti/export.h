/* TUTTI_API marks what the shared libraries export; everything else is hidden. */
#ifndef TUTTI_EXPORT_H
#define TUTTI_EXPORT_H

#if defined(__GNUC__)
#define TUTTI_API                     __attribute__((__visibility__("default")))
#define TUTTI_PRINTF(position, first) __attribute__((__format__(__printf__, position, first)))
#else
#define TUTTI_API
#define TUTTI_PRINTF(position, first)
#endif

#endif
