// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <map>

#include "chaos/cosmos/query.hpp"
#include "perdure/http/headers.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
}
struct Token {
    enum class Kind : std::uint8_t { word, number, text, parameter, sign, end };
    Kind kind = Kind::end;
    std::string text{};
};

// Used by one thread, for one text. After the first misfit everything is one.
class QueryReader {
public:
    QueryReader(std::string_view text, const Json* parameters) : rest_{text} {
        if (parameters) keep(*parameters);
        next();
        if (text.size() > longest_query) refuse("The query text is longer than 512 KB.");
    }

    std::optional<Query> query() {
        expect("select");
        Query query;
        if (word("top")) query.limit = count();
        select(query);
        tail(query);
        return done(query);
    }
    std::optional<Query> condition() {
        Query query;
        tail(query);
        return done(query);
    }
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

private:
    using Kind = Token::Kind;
    static constexpr int deepest = 64;

    void next();
    void refuse(std::string problem) {
        if (problem_.empty()) problem_ = std::move(problem);
        token_ = {};
        rest_ = {};
    }
    void fail() {
        refuse("Syntax error, or more than is understood here, near '" + token_.text + "'.");
    }
    // Of two of a name the first one with a value counts.
    void keep(const Json& parameters) {
        for (const Json& parameter : parameters.elements())
            if (const Json* given = parameter.find("value"))
                if (const auto name = parameter.word("name"); !parameters_.contains(name))
                    parameters_.emplace(name, std::make_shared<const Json>(*given));
    }
    bool word(std::string_view name) {
        if (token_.kind != Kind::word || !http::same_name(token_.text, name)) return false;
        next();
        return true;
    }
    void expect(std::string_view name) {
        if (!word(name)) fail();
    }
    bool sign(std::string_view text) {
        if (token_.kind != Kind::sign || token_.text != text) return false;
        next();
        return true;
    }
    std::string name() {
        std::string text = token_.text;
        if (token_.kind == Kind::word) next();
        else fail();
        return text;
    }
    std::optional<Query> done(Query& query) {
        if (token_.kind != Kind::end) fail();
        if (!problem_.empty()) return std::nullopt;
        // The first name of each path is the container's, or what FROM calls it.
        const auto cut = [&](Path& path) {
            if (path.empty() || (path[0] != root_ && path[0] != "root"))
                problem_ =
                    "Identifier '" + (path.empty() ? "" : path[0]) + "' could not be resolved.";
            else path.erase(path.begin());
        };
        for (Query::Field& field : query.fields) cut(field.path);
        if (query.order) cut(*query.order);
        const auto cut_all = [&](auto& self, Condition& one) -> void {
            for (Condition& part : one.parts) self(self, part);
            if (one.kind >= Condition::Kind::defined) cut(one.path);
        };
        cut_all(cut_all, query.where);
        if (!problem_.empty()) return std::nullopt;
        return std::move(query);
    }

    void select(Query& query);
    void tail(Query& query);
    Path path();
    Condition::Value value();
    std::uint64_t count();
    Condition any(int depth);
    Condition all(int depth);
    Condition one(int depth);
    Condition comparison();

    std::string_view rest_;
    std::map<std::string, Condition::Value, std::less<>> parameters_;
    Token token_{};
    std::string root_ = "c";
    std::string problem_{};
};

void QueryReader::next() {
    while (!rest_.empty() && std::string_view{" \t\r\n;"}.find(rest_[0]) < 5)
        rest_.remove_prefix(1);
    token_ = {};
    if (rest_.empty()) return;
    std::size_t end = 1;
    const char first = rest_[0];
    if (is_letter(first) || first == '@') {
        while (end < rest_.size() && (is_letter(rest_[end]) || is_digit(rest_[end]))) ++end;
        token_.kind = first == '@' ? Kind::parameter : Kind::word;
    } else if (is_digit(first) || (first == '-' && rest_.size() > 1 && is_digit(rest_[1]))) {
        while (end < rest_.size() &&
               (is_digit(rest_[end]) || std::string_view{".eE"}.find(rest_[end]) < 3))
            ++end;
        token_.kind = Kind::number;
    } else if (first == '"' || first == '\'') {
        while (end < rest_.size() && rest_[end] != first) {
            if (rest_[end] == '\\' && end + 1 < rest_.size()) ++end;
            token_.text += rest_[end++];
        }
        if (end >= rest_.size()) return fail();
        token_.kind = Kind::text;
        rest_.remove_prefix(end + 1);
        return;
    } else {
        constexpr std::string_view pairs[] = {"<=", ">=", "!=", "<>"};
        for (const std::string_view pair : pairs)
            if (rest_.starts_with(pair)) end = 2;
        token_.kind = Kind::sign;
    }
    token_.text = rest_.substr(0, end);
    rest_.remove_prefix(end);
}

void QueryReader::select(Query& query) {
    if (sign("*")) return;
    query.select = word("value") ? Query::Select::value : Query::Select::fields;
    do {
        Query::Field field{.path = path()};
        if (field.path.size() == 1 && http::same_name(field.path[0], "count") && sign("(")) {
            const bool bare = query.select == Query::Select::value;
            query.select = bare ? Query::Select::count : Query::Select::count_object;
            next();
            if (!sign(")")) fail();
            field.name = "$1";
        } else {
            field.name = field.path.empty() ? "" : field.path.back();
        }
        if (word("as")) field.name = name();
        query.fields.push_back(std::move(field));
        if (query.fields.size() > most_selected) fail();
    } while (sign(","));
    const bool counts =
        query.select == Query::Select::count || query.select == Query::Select::count_object;
    if (query.fields.size() > 1 && query.select != Query::Select::fields) fail();
    if (counts) query.fields[0].path = {"root"};
}

void QueryReader::tail(Query& query) {
    expect("from");
    root_ = name();
    if (word("as")) root_ = name();
    const auto keyword = [&] {
        for (const char* one : {"where", "order", "offset"})
            if (http::same_name(token_.text, one)) return true;
        return false;
    };
    if (token_.kind == Kind::word && !keyword()) root_ = name();
    if (word("where")) query.where = any(0);
    if (word("order")) {
        expect("by");
        query.order = path();
        query.descending = word("desc");
        if (!query.descending) (void)word("asc");
    }
    if (word("offset")) {
        query.offset = count();
        expect("limit");
        query.limit = count();
    }
}

Path QueryReader::path() {
    Path path{name()};
    for (;;) {
        if (sign(".")) path.push_back(name());
        else if (sign("[")) {
            path.push_back(token_.text);
            if (token_.kind != Kind::text) fail();
            next();
            if (!sign("]")) fail();
        } else return path;
        if (path.size() > longest_path) return fail(), path;
    }
}

Condition::Value QueryReader::value() {
    const Token token = token_;
    next();
    const auto made = [](Json json) { return std::make_shared<const Json>(std::move(json)); };
    if (token.kind == Kind::number)
        if (auto number = Json::parse(token.text)) return made(std::move(*number));
    if (token.kind == Kind::text) return made(Json::text(token.text));
    if (token.kind == Kind::word)
        for (const char* word : {"true", "false", "null"})
            if (http::same_name(token.text, word)) return made(*Json::parse(word));
    if (token.kind == Kind::parameter)
        if (const auto given = parameters_.find(token.text); given != parameters_.end())
            return given->second;
    token_ = token;
    fail();
    return made({});
}

std::uint64_t QueryReader::count() {
    const Condition::Value given = value();
    const Json& number = *given;
    std::uint64_t result = 0;
    const std::string& digits = number.text();
    if (std::from_chars(digits.data(), digits.data() + digits.size(), result).ptr !=
            digits.data() + digits.size() ||
        !number.is_number())
        fail();
    return result;
}

Condition QueryReader::any(int depth) {
    Condition result{.kind = Condition::Kind::any};
    do result.parts.push_back(all(depth));
    while (word("or"));
    return result;
}

Condition QueryReader::all(int depth) {
    Condition result{.kind = Condition::Kind::all};
    do result.parts.push_back(one(depth));
    while (word("and"));
    return result;
}

Condition QueryReader::one(int depth) {
    if (depth > deepest) return fail(), Condition{};
    if (sign("(")) {
        Condition result = any(depth + 1);
        if (!sign(")")) fail();
        return result;
    }
    if (word("not")) {
        Condition result{.kind = Condition::Kind::no};
        result.parts.push_back(one(depth + 1));
        return result;
    }
    if (word("true")) return {};
    if (word("is_defined")) {
        Condition result{.kind = Condition::Kind::defined};
        if (!sign("(")) fail();
        result.path = path();
        if (!sign(")")) fail();
        return result;
    }
    return comparison();
}

Condition QueryReader::comparison() {
    using How = Condition::Kind;
    Condition result{.path = path()};
    if (word("in")) {
        result.kind = How::one_of;
        if (!sign("(")) fail();
        do result.values.push_back(value());
        while (sign(","));
        if (!sign(")")) fail();
        return result;
    }
    constexpr std::pair<std::string_view, How> signs[] = {
        {"=", How::equal}, {"!=", How::unequal}, {"<>", How::unequal}, {"<", How::less},
        {">", How::more},  {"<=", How::at_most}, {">=", How::at_least}};
    for (const auto& [text, how] : signs)
        if (sign(text)) {
            result.kind = how;
            result.values.push_back(value());
            return result;
        }
    fail();
    return result;
}

}  // namespace

std::optional<Query> Query::read(const Json& body, std::string& problem) {
    QueryReader reader{body.word("query"), body.find("parameters")};
    auto query = reader.query();
    problem = reader.problem();
    return query;
}

std::optional<Query> Query::condition(std::string_view text) {
    return QueryReader{text, nullptr}.condition();
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
