// What a backend tells about its devices.
#pragma once

#define GGML_BACKEND_API_VERSION 2

enum ggml_backend_dev_type {
    GGML_BACKEND_DEVICE_TYPE_CPU,
    GGML_BACKEND_DEVICE_TYPE_GPU,
    GGML_BACKEND_DEVICE_TYPE_IGPU,
};

struct ggml_backend_dev_caps {
    bool async;                // work returns at once
    bool host_buffer;          // pinned memory
    bool events;               // can wait for one another
};
