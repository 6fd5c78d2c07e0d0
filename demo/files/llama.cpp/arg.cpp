// The options of the command line, each with its help.
#include "common.h"

static void add_load_options(common_parser & parser) {
    parser.add(common_option(
        {"-lm", "--load-mode"}, "MODE",
        "how weights come into memory (default: mmap)\n"
        "- none: read them\n"
        "- mmap: map the file\n"
        "- dio: read them past the page cache\n",
        [](common_params & params, const std::string & value) {
            params.load_mode = llama_load_mode_from(value);
        }
    ).set_env("LLAMA_ARG_LOAD_MODE"));
}

static void add_sampling_options(common_parser & parser) {
    parser.add(common_option(
        {"--repeat-penalty"}, "N",
        "how much a repeated token loses (default: 1.0, off)",
        [](common_params & params, const std::string & value) {
            params.sampling.penalty_repeat = std::stof(value);
        }
    ));
    parser.add(common_option(
        {"--temp"}, "N",
        "temperature (default: 0.8)",
        [](common_params & params, const std::string & value) {
            params.sampling.temp = std::stof(value);
        }
    ));
}

static void add_server_options(common_parser & parser) {
    parser.add(common_option(
        {"-to", "--timeout"}, "N",
        "read and write time-out of the server in seconds (default: 600)",
        [](common_params & params, int value) {
            params.timeout_read  = value;
            params.timeout_write = value;
        }
    ).set_env("LLAMA_ARG_TIMEOUT"));
}
