# What `cmake --install` needs in several places: libraries with a soname and a version script,
# pkg-config files that move with their prefix. docs/install.md lists what goes where.
#
# Install components, of which packages are made: runtime (libtutti), mpi (libtutti-mpi), dev (what
# programs are built with, and the documentation), tools (the command line).
include(GNUInstallDirs)

# Both libraries find each other in the folder that they are in, wherever that is. A distribution
# sets CMAKE_SKIP_INSTALL_RPATH.
set(TUTTI_RPATH "$ORIGIN")

# tutti_shared_library(TARGET EXPORT_NAME COMPONENT): soname, exported symbols and install rules of a
# shared library, which CMake programs get as tutti::EXPORT_NAME. Only what is declared with
# TUTTI_API is exported, under a version node such as TUTTI_0: the number is the soname's.
function(tutti_shared_library target export_name component)
  string(TOUPPER ${target}_${PROJECT_VERSION_MAJOR} node)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "@node@ {\n    global: tutti_*;\n    local: *;\n};\n" @ONLY)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${export_name} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LINK_DEPENDS ${map} INSTALL_RPATH ${TUTTI_RPATH})
  add_library(tutti::${export_name} ALIAS ${target})
  if(TUTTI_INSTALL)
    install(TARGETS ${target} EXPORT tutti-${export_name}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
            NAMELINK_COMPONENT dev)
    tutti_install_export(${export_name})
  endif()
endfunction()

# tutti_static_library(TARGET EXPORT): the same for a static library; several may share an EXPORT,
# which is installed with tutti_install_export.
function(tutti_static_library target export)
  add_library(tutti::${target} ALIAS ${target})
  if(TUTTI_INSTALL)
    install(TARGETS ${target} EXPORT tutti-${export}
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
  endif()
endfunction()

# tutti_install_export(NAME): the targets of one component of the CMake package.
function(tutti_install_export name)
  if(TUTTI_INSTALL)
    install(EXPORT tutti-${name} FILE tutti-${name}-targets.cmake NAMESPACE tutti::
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tutti COMPONENT dev)
  endif()
endfunction()

# tutti_install_pkgconfig(TEMPLATE): TEMPLATE is NAME.pc.in. In it @pc_prefix@ and so on are relative
# to the file's own place where they can be, so that a prefix may be moved.
function(tutti_install_pkgconfig template)
  if(NOT TUTTI_INSTALL)
    return()
  endif()
  get_filename_component(name ${template} NAME_WLE)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
    set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
    set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  else()
    file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
    string(REGEX REPLACE "/$" "" up ${up})
    set(pc_prefix "\${pcfiledir}/${up}")
    set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
  endif()
  configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/${name} @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endfunction()
