// SPDX-License-Identifier: Apache-2.0
#include "live/odbc_fault_driver/server.hpp"

#include <algorithm>
#include <cstring>

namespace odbc_fault {

namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == ';')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == ';')) text.remove_suffix(1);
    return text;
}

bool starts(std::string_view text, std::string_view word) {
    return text.size() >= word.size() &&
           std::ranges::equal(text.substr(0, word.size()), word, [](char a, char b) {
               return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b;
           });
}

Field field_of(const Parameter& parameter) {
    const SQLLEN length = parameter.length ? *parameter.length : 0;
    if (length == SQL_NULL_DATA) return {.is_null = true};
    Field field;
    switch (parameter.c_type) {
        case SQL_C_SBIGINT:
            field.type = SQL_BIGINT;
            std::memcpy(&field.integer, parameter.at, sizeof field.integer);
            break;
        case SQL_C_DOUBLE:
            field.type = SQL_DOUBLE;
            std::memcpy(&field.real, parameter.at, sizeof field.real);
            break;
        case SQL_C_BIT:
            field.type = SQL_BIT;
            field.integer = *static_cast<const unsigned char*>(parameter.at);
            break;
        default:
            field.type = parameter.c_type == SQL_C_BINARY ? SQL_VARBINARY : SQL_VARCHAR;
            field.bytes.assign(static_cast<const char*>(parameter.at),
                               static_cast<std::size_t>(length));
    }
    return field;
}

// "0x00ff…", the nth literal of the text; empty if there are not so many.
std::string literal(std::string_view text, int nth) {
    for (std::size_t at = text.find("0x"); at != std::string_view::npos;
         at = text.find("0x", at + 1))
        if (--nth == 0) return std::string{text.substr(at, 34)};
    return {};
}

std::string bytes_of(const std::string& literal) {
    std::string bytes;
    for (std::size_t i = 2; i + 1 < literal.size(); i += 2)
        bytes += static_cast<char>(std::stoi(literal.substr(i, 2), nullptr, 16));
    return bytes;
}

void select_attempt(Statement& statement, std::string_view text) {
    statement.columns = {SQL_VARBINARY};
    const auto attempt_id = store().attempt_of(literal(text, 1));
    if (!attempt_id) return;
    Field field{.type = SQL_VARBINARY, .is_null = attempt_id->empty()};
    field.bytes = bytes_of(*attempt_id);
    statement.rows.push_back({field});
}

void select(Statement& statement, std::string_view text) {
    statement.affected = -1;
    if (starts(text, "select attempt_id")) return select_attempt(statement, text);
    if (starts(text, "select echo")) {
        auto& row = statement.rows.emplace_back();
        for (const Parameter& one : statement.parameters) row.push_back(field_of(one));
    } else if (starts(text, "select numbers")) {
        const auto count = field_of(statement.parameters.at(0)).integer;
        for (std::int64_t i = 0; i < count; ++i)
            statement.rows.push_back({{.type = SQL_BIGINT, .integer = i}});
        if (count == 0) statement.columns = {SQL_BIGINT};
    } else {
        statement.rows.push_back(
            {{.type = SQL_BIGINT, .integer = store().rows(statement.connection.changes)}});
    }
    if (!statement.rows.empty())
        for (const Field& field : statement.rows.front()) statement.columns.push_back(field.type);
}

std::optional<Record> carry_out(Statement& statement, std::string_view text) {
    Changes& changes = statement.connection.changes;
    if (starts(text, "set ")) return std::nullopt;
    if (starts(text, "if object_id")) {
        store().create_tokens();
    } else if (starts(text, "alter table")) {
        statement.affected = 0;
    } else if (starts(text, "insert into") && text.find("0x") != std::string_view::npos) {
        statement.affected = 1;
        return store().insert_token(literal(text, 1), literal(text, 2), changes);
    } else if (starts(text, "insert") || starts(text, "update")) {
        ++changes.rows;
        statement.affected = 1;
    } else if (starts(text, "delete from")) {
        statement.affected = store().delete_tokens();
    } else if (starts(text, "select")) {
        select(statement, text);
    } else {
        return Record{102, "42000", "[Fault][SQL Server]Incorrect syntax near the beginning."};
    }
    return std::nullopt;
}

std::optional<Record> work(Statement& statement) {
    std::string_view rest = statement.text;
    while (!trimmed(rest).empty()) {
        rest = trimmed(rest);
        const std::string_view part = trimmed(rest.substr(0, rest.find(';')));
        rest.remove_prefix(std::min(rest.find(';'), rest.size()));
        if (auto record = carry_out(statement, part)) return record;
    }
    if (statement.connection.autocommit) store().commit(statement.connection.changes);
    return std::nullopt;
}

// An error ends the transaction, as it does under XACT_ABORT.
SQLRETURN fall(Statement& statement, std::vector<Record> records) {
    store().roll_back(statement.connection.changes);
    statement.connection.changes.doomed = !statement.connection.autocommit;
    statement.rows.clear();
    statement.columns.clear();
    return refuse(statement, std::move(records));
}

void die(Connection& connection) {
    connection.dead = true;
    store().roll_back(connection.changes);
}

const Record dead_link{
    .native = 10054, .state = "08S01", .message = "[Fault]Communication link failure"};

}  // namespace

Counts& counts() {
    static Counts* const one = new Counts;
    return *one;
}

SQLRETURN refuse(Handle& handle, std::vector<Record> records) {
    handle.records = std::move(records);
    return SQL_ERROR;
}

SQLSMALLINT placeholders(const std::string& text) {
    return static_cast<SQLSMALLINT>(std::ranges::count(text, '?'));
}

SQLRETURN execute(Statement& statement) {
    ++counts().executes;
    statement.rows.clear();
    statement.columns.clear();
    statement.next_row = 0;
    statement.affected = -1;
    plan().wake([&] { statement.cancelled = false; });
    if (statement.connection.dead) return refuse(statement, {dead_link});
    const auto fault = plan().next(Event::execute);
    if (fault && fault->when == When::hang) plan().hang(nullptr);
    if (fault && fault->when == When::wait) {
        plan().hang(&statement.cancelled);
        return fall(statement, {{0, "HY008", "[Fault]Operation canceled"}});
    }
    if (fault && fault->when == When::before) {
        if (fault->dead) die(statement.connection);
        return fall(statement, fault->records);
    }
    if (auto record = work(statement)) return fall(statement, {std::move(*record)});
    if (fault && fault->when == When::after) {
        if (fault->dead) die(statement.connection);
        return fall(statement, fault->records);
    }
    return SQL_SUCCESS;
}

SQLRETURN end(Connection& connection, SQLSMALLINT how) {
    if (how == SQL_ROLLBACK) {
        ++counts().rollbacks;
        if (connection.dead) return refuse(connection, {dead_link});
        store().roll_back(connection.changes);
        return SQL_SUCCESS;
    }
    ++counts().commits;
    if (connection.dead) return refuse(connection, {dead_link});
    const auto fault = plan().next(Event::commit);
    if (fault && fault->when == When::hang) plan().hang(nullptr);
    if (fault && fault->when == When::before) {
        store().roll_back(connection.changes);
        if (fault->dead) connection.dead = true;
        return refuse(connection, fault->records);
    }
    // The trap of a driver that commits what an error has already rolled back.
    store().commit(connection.changes);
    if (!fault || fault->when == When::hang) return SQL_SUCCESS;
    if (fault->dead) connection.dead = true;
    if (fault->records.empty()) return SQL_SUCCESS;
    return refuse(connection, fault->records);
}

}  // namespace odbc_fault
