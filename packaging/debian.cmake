# Debian packages, made by cpack: libtutti0, libtutti-mpi0-<mpi>, libtutti-dev, tutti-tools. `make
# packages` configures for them: prefix /usr, no run paths, no tests. scripts/check-packages installs
# them into a clean root, builds a program there, and removes them.
get_cmake_property(components COMPONENTS)
if(Unspecified IN_LIST components)
  message(FATAL_ERROR "an install rule names no COMPONENT (see cmake/TuttiInstall.cmake)")
endif()

set(soname ${PROJECT_VERSION_MAJOR})
set(mpi_package libtutti-mpi${soname}-${TUTTI_MPI_FAMILY})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tutti)
set(CPACK_PACKAGE_VENDOR "the tutti developers")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the tutti developers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # and has the linker's cache renewed
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# What dpkg-shlibdeps can't know while our own libraries are in no installed package.
get_target_property(core_folder tutti BINARY_DIR)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${core_folder})
if(TUTTI_MPI)
  get_target_property(mpi_folder tutti_mpi BINARY_DIR) # for tutti-doctor-mpi, which is in its package
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${mpi_folder})
endif()

# debian_package(COMPONENT NAME SECTION DESCRIPTION DEPENDS): the project's description is the first
# line of all.
set(CPACK_COMPONENTS_ALL "")
macro(debian_package component name section description depends)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION ${description})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS ${depends})
endmacro()

set(this_version "(= ${PROJECT_VERSION})")
debian_package(runtime libtutti${soname} libs
  "The library, without MPI." "")
set(dev_depends "libtutti${soname} ${this_version}, libjansson-dev, libxxhash-dev, libhwloc-dev")
if(TUTTI_MPI)
  debian_package(mpi ${mpi_package} libs
    "The library for groups over MPI, built with ${TUTTI_MPI_FAMILY}."
    "libtutti${soname} ${this_version}")
  # The library's name does not tell the MPI, so that there can be one of them only.
  set(CPACK_DEBIAN_MPI_PACKAGE_PROVIDES libtutti-mpi${soname})
  set(CPACK_DEBIAN_MPI_PACKAGE_CONFLICTS libtutti-mpi${soname})
  string(APPEND dev_depends ", ${mpi_package} ${this_version}, lib${TUTTI_MPI_FAMILY}-dev")
endif()
debian_package(dev libtutti-dev libdevel
  "Headers, CMake package, pkg-config files, a reverse all-to-all as a static library, documentation."
  "${dev_depends}")
if(tools IN_LIST components)
  debian_package(tools tutti-tools utils
    "The command tutti: shows, compares, ships and cleans up what was tuned."
    "libtutti${soname} ${this_version}")
endif()

# Each package has the licence and the changes where Debian looks for them.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_documents.cmake)
set(CPACK_TUTTI_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)
