// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts on their way out: made harmless for terminals, and written completely.
#pragma once

#include <string>
#include <string_view>

namespace omptarget {

/// The text with what a terminal would obey made visible as \xNN: control characters (those of Latin-1 too) and bytes
/// that are no UTF-8. Tabs stay. After a line break the text goes on indented: it cannot pass for a line of its own.
std::string printable(std::string_view text);

/// The same for a name in a table or a list, where a tab or a line break would pass for the next column or row.
std::string printable_name(std::string_view text);

/// A value of the environment for messages: a long one ends after its beginning, with its length.
std::string shown_value(std::string_view value);

/// Writes all bytes; interrupting signals and short writes are no failures. False with errno set. A reader that has
/// left, and a limit of the file's size, are failures and no signals: those of this write are blocked and taken away.
bool write_all(int file, std::string_view bytes);

/// For tools, at their end: the status, or `failure` and a message if stdout has lost something. Closes stdout.
int status_after_output(const char *tool, int status, int failure);

/// Writes one line to stderr, printable; what fails is lost.
void write_error_line(std::string_view text);

} // namespace omptarget
