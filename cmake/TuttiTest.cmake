# tutti_unit_test(NAME SOURCES... LIBS...): one process, no launcher.
# tutti_mpi_test(NAME RANKS 1 2 4 SOURCES... LIBS... ARGS... TIMEOUT s): one ctest per number of
# ranks, started by the MPI that this tree is built with. Exit status 77 means skipped.
find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# The settings of whoever runs the tests are not theirs.
set(TUTTI_TEST_ENVIRONMENT XDG_CONFIG_HOME=/nonexistent TUTTI_SITE_FILE=/nonexistent)

# Lets Open MPI run as root, as in containers, and on fewer cores than ranks; MPICH ignores these.
set(TUTTI_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
    ${TUTTI_TEST_ENVIRONMENT})

function(tutti_unit_test name)
  cmake_parse_arguments(T "" "TIMEOUT" "SOURCES;LIBS;ARGS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE tutti_flags ${T_LIBS} PkgConfig::CMOCKA)
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 60)
  endif()
  add_test(NAME ${name} COMMAND ${name} ${T_ARGS})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT} SKIP_RETURN_CODE 77 LABELS unit
                       ENVIRONMENT "${TUTTI_TEST_ENVIRONMENT}")
endfunction()

function(tutti_mpi_run name program)
  cmake_parse_arguments(T "" "TIMEOUT" "RANKS;ARGS;ENV" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  foreach(ranks IN LISTS T_RANKS)
    add_test(NAME ${name}.${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} -n ${ranks} $<TARGET_FILE:${program}> ${T_ARGS})
    set_tests_properties(${name}.${ranks} PROPERTIES TIMEOUT ${T_TIMEOUT} SKIP_RETURN_CODE 77
                         LABELS mpi ENVIRONMENT "${TUTTI_MPI_ENVIRONMENT};${T_ENV}")
    if(ranks GREATER 2)
      set_tests_properties(${name}.${ranks} PROPERTIES RUN_SERIAL ON)
    endif()
  endforeach()
endfunction()

function(tutti_mpi_test name)
  cmake_parse_arguments(T "" "TIMEOUT" "RANKS;SOURCES;LIBS;ARGS;ENV" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE tutti_flags ${T_LIBS} MPI::MPI_C PkgConfig::CMOCKA)
  tutti_mpi_run(${name} ${name} RANKS ${T_RANKS} ARGS ${T_ARGS} TIMEOUT ${T_TIMEOUT} ENV ${T_ENV})
endfunction()
