# -DTUTTI_CUDA=ON: what needs CUDA. CMAKE_CUDA_ARCHITECTURES chooses the devices (90: Hopper).
option(TUTTI_CUDA "Build the device timer and the operator on CUDA" OFF)
if(NOT TUTTI_CUDA)
  return()
endif()

# nvcc is not on the PATH of most installations.
if(NOT CMAKE_CUDA_COMPILER)
  find_program(TUTTI_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH PATHS /usr/local/cuda/bin
               PATH_SUFFIXES bin)
  if(NOT TUTTI_NVCC)
    message(FATAL_ERROR "TUTTI_CUDA: no nvcc is on the PATH or in /usr/local/cuda/bin; set "
                        "CMAKE_CUDA_COMPILER")
  endif()
  set(CMAKE_CUDA_COMPILER ${TUTTI_NVCC})
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "Devices to compile for")
endif()
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
# One runtime for all in a process: what a launch left behind is seen by whoever asks.
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

# What every kernel is compiled with.
add_library(tutti_cuda_flags INTERFACE)
target_compile_options(tutti_cuda_flags INTERFACE
                       $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>
                       $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${TUTTI_WERROR}>>:-Werror=all-warnings>)
