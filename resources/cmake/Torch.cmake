# LibTorch as the wheel has it, as an imported target. The wheel's own CMake config wants a CUDA toolkit.
if(NOT EXISTS "${DASGD_TORCH_DIR}/torch/lib/libtorch_cpu.so")
  message(FATAL_ERROR "LibTorch is not in ${DASGD_TORCH_DIR}. `./lab build` installs it.")
endif()
set(torch_root "${DASGD_TORCH_DIR}/torch")
add_library(torch_cpu INTERFACE)
target_include_directories(torch_cpu SYSTEM INTERFACE "${torch_root}/include"
                                                      "${torch_root}/include/torch/csrc/api/include")
target_link_libraries(torch_cpu INTERFACE "${torch_root}/lib/libtorch_cpu.so" "${torch_root}/lib/libc10.so")
target_compile_definitions(torch_cpu INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)

# LibTorch's CUDA side, for what is loaded at run time. The wheels have every header that it takes, so a GPU build needs
# neither a toolkit nor a GPU. It links where LibTorch's CUDA libraries are not installed; running needs those that the
# torch wheel depends on (`pip install` without --no-deps).
set(cuda_root "${DASGD_TORCH_DIR}/nvidia/cu13")
if(EXISTS "${torch_root}/lib/libtorch_cuda.so" AND EXISTS "${cuda_root}/include/cuda_runtime_api.h")
  # What of it a program can link that is to start where the rest is not installed.
  add_library(torch_c10_cuda INTERFACE)
  target_include_directories(torch_c10_cuda SYSTEM INTERFACE "${cuda_root}/include")
  target_link_libraries(torch_c10_cuda INTERFACE torch_cpu "${torch_root}/lib/libc10_cuda.so"
                                                 "${cuda_root}/lib/libcudart.so.13")
  add_library(torch_cuda INTERFACE)
  target_link_libraries(torch_cuda INTERFACE "${torch_root}/lib/libtorch_cuda.so" torch_c10_cuda)
  # --no-as-needed: nobody names a symbol of some of these, they register themselves.
  target_link_options(torch_cuda INTERFACE -Wl,--allow-shlib-undefined -Wl,--no-as-needed)
else()
  message(STATUS "No CUDA libraries in ${DASGD_TORCH_DIR}: the module for GPUs is not built")
endif()
set(CMAKE_BUILD_RPATH "${torch_root}/lib")
# The wheels' CUDA runtime and NCCL are loaded at run time, by programs of every folder.
target_link_options(torch_cpu INTERFACE "-Wl,-rpath,${cuda_root}/lib" "-Wl,-rpath,${DASGD_TORCH_DIR}/nvidia/nccl/lib")

# One precompiled header for everything that sees torch: it has no networks, which cost every file 8 s more: whoever builds one includes <torch/nn/…> itself.
add_library(torch_pch OBJECT "${CMAKE_SOURCE_DIR}/resources/cmake/torch_pch.cpp")
target_link_libraries(torch_pch PRIVATE dasgd_options torch_cpu)
target_precompile_headers(torch_pch PRIVATE <torch/types.h>)
