// From a model's text to tool calls.
#include "chat.h"

common_chat_message common_chat_parse_qwen(const std::string & text) {
    common_chat_message message;
    const size_t start = text.find("<function=");
    if (start == std::string::npos) {
        message.content = text;
        return message;
    }
    message.content = text.substr(0, start);
    message.tool_calls.push_back(read_call(text, start));
    return message;
}
