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
if(DASGD_CUDA)
  # Links where no CUDA library is installed; running needs those that the torch wheel depends on (`pip install` without
  # --no-deps). --no-as-needed: nobody names a symbol of these, they register themselves.
  target_link_libraries(torch_cpu INTERFACE -Wl,--allow-shlib-undefined -Wl,--no-as-needed
                                            "${torch_root}/lib/libtorch_cuda.so" "${torch_root}/lib/libc10_cuda.so"
                                            -Wl,--as-needed)
endif()
set(CMAKE_BUILD_RPATH "${torch_root}/lib")

# One precompiled header for everything that sees torch: it has no networks, which cost every file 8 s more: whoever builds one includes <torch/nn/…> itself.
add_library(torch_pch OBJECT "${CMAKE_SOURCE_DIR}/resources/cmake/torch_pch.cpp")
target_link_libraries(torch_pch PRIVATE dasgd_options torch_cpu)
target_precompile_headers(torch_pch PRIVATE <torch/types.h>)
