# tutti_mpi_family(VARIABLE): which application binary interface MPI::MPI_C has: openmpi, mpich (also
# its kin, such as Intel MPI), or unknown. A library that was built with one does not run with the
# other, so the installed package compares.
include(CheckSymbolExists)

function(tutti_mpi_family variable)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  set(CMAKE_REQUIRED_QUIET TRUE)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # the header is enough
  check_symbol_exists(OPEN_MPI mpi.h TUTTI_MPI_IS_OPENMPI)
  check_symbol_exists(MPICH_VERSION mpi.h TUTTI_MPI_IS_MPICH)
  if(TUTTI_MPI_IS_OPENMPI)
    set(${variable} openmpi PARENT_SCOPE)
  elseif(TUTTI_MPI_IS_MPICH)
    set(${variable} mpich PARENT_SCOPE)
  else()
    set(${variable} unknown PARENT_SCOPE)
  endif()
endfunction()
