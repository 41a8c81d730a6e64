/// \file
/// JSON as far as the list of calls has it.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace json {

struct Value {
  enum Kind { null, boolean, integer, real, text, array, object } kind = null;
  bool truth = false;
  std::int64_t whole = 0;
  double number = 0;
  std::string string;
  std::vector<Value> items;
  /// The names of the items of an object.
  std::vector<std::string> names;

  const Value* find(const std::string& name) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) {
        return &items[i];
      }
    }
    return nullptr;
  }
  const Value& at(const std::string& name) const {
    const Value* found = find(name);
    if (found == nullptr) {
      throw std::runtime_error("no " + name);
    }
    return *found;
  }
};

class Parser {
 public:
  explicit Parser(std::string text) : text_(std::move(text)) {}

  Value parse() {
    Value value;
    const char next = peek();
    if (next == '{' || next == '[') {
      return many(next == '{');
    }
    if (next == '"') {
      value.kind = Value::text;
      value.string = string();
    } else if (next == 't' || next == 'f') {
      value.kind = Value::boolean;
      value.truth = next == 't';
      at_ += value.truth ? 4 : 5;
    } else if (next == 'n') {
      at_ += 4;
    } else {
      const std::size_t end = text_.find_first_not_of("+-.0123456789eE", at_);
      const std::string number = text_.substr(at_, end - at_);
      if (number.empty()) {
        throw std::runtime_error("no value at " + std::to_string(at_));
      }
      value.kind = number.find_first_of(".eE") == std::string::npos ? Value::integer : Value::real;
      value.whole = std::strtoll(number.c_str(), nullptr, 10);
      value.number = std::strtod(number.c_str(), nullptr);
      at_ = end;
    }
    return value;
  }

 private:
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    }
    return text_.at(at_);
  }

  Value many(bool is_object) {
    Value value;
    value.kind = is_object ? Value::object : Value::array;
    ++at_;
    while (peek() != '}' && peek() != ']') {
      if (is_object) {
        value.names.push_back(string());
        peek();
        ++at_;
      }
      value.items.push_back(parse());
      if (peek() == ',') {
        ++at_;
      }
    }
    ++at_;
    return value;
  }

  /// The list has no escapes.
  std::string string() {
    peek();
    const std::size_t end = text_.find('"', at_ + 1);
    std::string found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return found;
  }

  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace json
