# tutti_source_id(TARGET FILE...) defines TUTTI_SOURCE_ID for TARGET: a hash of the contents of the
# launcher's source files. It is part of a record's identity, so that an edited launcher is tuned
# again. Editing one of the files runs CMake again, which renews the hash.
function(tutti_source_id target)
  set(digests "")
  foreach(file IN LISTS ARGN)
    get_filename_component(path ${file} ABSOLUTE)
    file(SHA256 ${path} digest)
    string(APPEND digests ${digest})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  endforeach()
  string(SHA256 identity "${digests}")
  string(SUBSTRING ${identity} 0 16 identity)
  target_compile_definitions(${target} PRIVATE TUTTI_SOURCE_ID="${identity}")
endfunction()
