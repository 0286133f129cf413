// SPDX-License-Identifier: Apache-2.0
//
// What do the shared files say, whoever wrote them, and what is said about a file that cannot be read?
#include "dynamodb/profile.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include "credentials_home.hpp"

namespace perdure::dynamodb {
namespace {

// "profile.property=value" for all of them, in order; what is nested as "a.b".
std::string shown(const Sections& sections) {
    std::string text;
    for (const auto& [name, section] : sections)
        for (const auto& [property, what] : section) {
            if (what.nested.empty())
                text.append(name).append("/").append(property).append("=").append(what.value) +=
                    '|';
            for (const auto& [inner, value] : what.nested)
                text.append(name + "/" + property + "." + inner + "=" + value) += '|';
        }
    return text;
}

struct Row {
    const char* what;
    std::string_view text;
    const char* profiles;
};

using namespace std::string_view_literals;

TEST(ProfileText, is_read_from_the_config_file_as_aws_reads_it) {
    const Row rows[] = {
        {"empty", "", ""},
        {"a section", "[default]\nregion = eu-west-1\n", "default/region=eu-west-1|"},
        {"no line end", "[default]\nregion=eu-west-1", "default/region=eu-west-1|"},
        {"line ends of another system", "[default]\r\nregion = a\r\n\r\noutput = b\r\n",
         "default/output=b|default/region=a|"},
        {"a byte order mark", "\xEF\xBB\xBF[default]\nregion = a\n", "default/region=a|"},
        {"named", "[profile dev]\nregion = a\n", "dev/region=a|"},
        {"named, with spaces", " [ profile   dev ] \nregion = a\n", "dev/region=a|"},
        {"a tab", "[profile\tdev]\nregion = a\n", "dev/region=a|"},
        {"quoted", "[profile \"my dev\"]\nregion = a\n", "my dev/region=a|"},
        {"quoted otherwise", "[profile 'my dev']\nregion = a\n", "my dev/region=a|"},
        {"only the longer default counts",
         "[profile default]\nregion = a\n[default]\nregion = b\noutput = c\n", "default/region=a|"},
        {"no profile without the word", "[dev]\nregion = a\n", ""},
        {"other kinds", "[sso-session x]\nregion = a\n[plugins]\nb = c\n", ""},
        {"comments",
         "# one\n; two\n  # three\n[default] # four\nregion = a # five\noutput = b ; six\n",
         "default/output=b|default/region=a|"},
        {"marks within a word", "[default]\na = x#y\nb = x;y\nc=#z\n",
         "default/a=x#y|default/b=x;y|default/c=#z|"},
        {"a comment for a value", "[default]\na = # nothing\n", "default/a=|"},
        {"a command keeps its marks", "[default]\ncredential_process = a ; b # c\n",
         "default/credential_process=a ; b # c|"},
        {"more signs", "[default]\ntoken = a==\n", "default/token=a==|"},
        {"capitals in names", "[default]\nReGion = EU\n", "default/region=EU|"},
        {"merged", "[default]\na = 1\nb = 1\n[profile x]\na = 9\n[default]\nb = 2\nc = 2\n",
         "default/a=1|default/b=2|default/c=2|x/a=9|"},
        {"the later line", "[default]\na = 1\na = 2\n", "default/a=2|"},
        {"nested", "[default]\ns3 =\n  max = 5\n  Min = 1 # low\nregion = a\n",
         "default/region=a|default/s3.max=5|default/s3.min=1|"},
        {"nested, with an empty line", "[default]\ns3 =\n  max = 5\n\n  min = 1\n",
         "default/s3.max=5|default/s3.min=1|"},
        {"continued", "[default]\na = one\n  two\n\tthree\nb = c\n",
         "default/a=one\ntwo\nthree|default/b=c|"},
        {"all of it indented", "[default]\n  a = 1\n  b = 2\n", "default/a=1|default/b=2|"},
        {"white space only", "  \n\t\n[default]\n   \na = 1\n", "default/a=1|"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        const auto text = parse_profiles(row.text, ProfileFile::config, "config");
        ASSERT_TRUE(text) << to_string(text.error());
        EXPECT_EQ(shown(text->profiles), row.profiles);
    }
}

TEST(ProfileText, of_the_credentials_file_has_plain_names) {
    const auto text =
        parse_profiles("[default]\na=1\n[my dev]\na=2\n[profile x]\na=3\n[\"q\"]\na=4\n",
                       ProfileFile::credentials, "f");
    ASSERT_TRUE(text);
    EXPECT_EQ(shown(text->profiles), "default/a=1|my dev/a=2|q/a=4|");
    EXPECT_EQ(text->strays, (std::vector<std::string>{"x"}));
}

TEST(ProfileText, that_is_malformed_is_refused_by_line_without_its_content) {
    const Row rows[] = {
        {"before a section", "aws_secret_access_key = HUSH\n", ":1: a line before"},
        {"no closing bracket", "[default\naws_secret_access_key = HUSH\n",
         ":1: a [section] without"},
        {"no sign", "[default]\n\naws_secret_access_key HUSH\n", ":3: expected name = value"},
        {"no name", "[default]\n= HUSH\n", ":2: expected name = value"},
        {"words behind", "[default] HUSH\n", ":1: words behind"},
        {"no section name", "[]\n", ":1: a [section] without a name"},
        {"no profile name", "[profile ]\n", ":1: a [section] without a name"},
        {"half a pair", "[profile \"HUSH]\n", ":1: a [section] without a name"},
        {"an empty pair", "[profile \"\"]\n", ":1: a [section] without a name"},
        {"a control character", "[profile a\x01HUSH]\n", ":1: a [section] without a name"},
        {"a zero byte", "[default]\na = HUSH\0\n"sv, ":2: this is no text"},
        {"another encoding", "\xFF\xFE[\0d\0]\0\n\0"sv, ":1: this is no text"},
        {"no sign in a nested line", "[default]\ns3 =\n  HUSH\n", ":3: expected name = value"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        const auto text = parse_profiles(row.text, ProfileFile::config, "~/.aws/config");
        ASSERT_FALSE(text);
        EXPECT_EQ(text.error().cause, Cause::invalid);
        EXPECT_EQ(text.error().origin, Origin::application);
        EXPECT_EQ(text.error().effect, Effect::none);
        EXPECT_EQ(text.error().code, "malformed-profile");
        EXPECT_TRUE(text.error().message.starts_with("~/.aws/config" + std::string{row.profiles}))
            << text.error().message;
        EXPECT_TRUE(tells_no_secret(text.error())) << text.error().message;
    }
}

TEST(Profiles, are_empty_where_there_are_no_files) {
    Home home;
    const auto profile = chosen_profile(home.surroundings);
    ASSERT_TRUE(profile) << to_string(profile.error());
    EXPECT_EQ(profile->name, "default");
    EXPECT_FALSE(profile->find("region"));
    EXPECT_TRUE(chosen_profile({}));  // nobody's home
}

TEST(Profiles, take_the_credentials_file_before_the_config_file) {
    Home home;
    home.credentials("[default]\nregion = from-credentials\n")
        .config("[default]\nregion = from-config\noutput = json\n");
    const auto profile = chosen_profile(home.surroundings);
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->find("region")->value, "from-credentials");
    EXPECT_EQ(profile->find("region")->where, "~/.aws/credentials:2");
    EXPECT_EQ(profile->find("output")->where, "~/.aws/config:3");
}

TEST(Profiles, are_chosen_by_the_program_then_by_either_variable) {
    Home home;
    home.config("[default]\nn = d\n[profile a]\nn = a\n[profile b]\nn = b\n[profile c]\nn = c\n");
    EXPECT_EQ(chosen_profile(home.surroundings)->find("n")->value, "d");
    home.set("AWS_DEFAULT_PROFILE", "a");
    EXPECT_EQ(chosen_profile(home.surroundings)->find("n")->value, "a");
    home.set("AWS_PROFILE", "b");
    EXPECT_EQ(chosen_profile(home.surroundings)->find("n")->value, "b");
    EXPECT_EQ(chosen_profile(home.surroundings, "c")->find("n")->value, "c");
    home.set("AWS_PROFILE", "").set("AWS_DEFAULT_PROFILE", "");
    EXPECT_EQ(chosen_profile(home.surroundings)->name, "default");
}

TEST(Profiles, asked_for_by_name_must_be_there) {
    Home home;
    home.credentials("[one]\na=1\n[profile four]\na=1\n")
        .config("[profile two]\na=1\n[three]\na=1\n");
    home.set("AWS_PROFILE", "five");
    const auto missing = chosen_profile(home.surroundings);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, "no-such-profile");
    EXPECT_TRUE(says(missing.error(), "\"five\" (AWS_PROFILE)")) << missing.error().message;
    EXPECT_TRUE(says(missing.error(), "there are: one, two"));
    home.set("AWS_PROFILE", "three");
    EXPECT_TRUE(says(chosen_profile(home.surroundings).error(), "written [profile three]"));
    home.set("AWS_PROFILE", "four");
    EXPECT_TRUE(says(chosen_profile(home.surroundings).error(), "written [four], without"));
    home.credentials("").config("");
    EXPECT_TRUE(says(chosen_profile(home.surroundings).error(), "there are none"));
}

TEST(Profiles, are_read_from_where_the_variables_say) {
    Home home;
    home.file("here", "[default]\nregion = a\n").file("there", "[default]\noutput = b\n");
    home.set("AWS_CONFIG_FILE", home.at("here")).set("AWS_SHARED_CREDENTIALS_FILE", "~/there");
    const auto profile = chosen_profile(home.surroundings);
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->find("region")->where, home.at("here") + ":2");
    EXPECT_EQ(profile->find("output")->where, "~/there:2");
    home.set("AWS_CONFIG_FILE", home.at("nowhere"));
    EXPECT_FALSE(chosen_profile(home.surroundings)->find("region"));
}

TEST(Profiles, of_a_file_that_cannot_be_read_are_missing_unless_it_was_asked_for) {
    Home home;
    std::filesystem::create_directory(home.at(".aws/config"));  // no file, whoever reads it
    const auto profile = chosen_profile(home.surroundings);
    ASSERT_TRUE(profile);
    EXPECT_TRUE(profile->config.trouble.find("~/.aws/config cannot be read: ") == 0);
    home.set("AWS_CONFIG_FILE", "~/.aws/config");
    const auto asked_for = chosen_profile(home.surroundings);
    ASSERT_FALSE(asked_for);
    EXPECT_TRUE(says(asked_for.error(), "cannot be read"));
}

TEST(Profiles, too_large_to_be_meant_are_refused) {
    Home home;
    home.file("large", std::string(1'100'000, '#')).set("AWS_CONFIG_FILE", home.at("large"));
    EXPECT_TRUE(says(chosen_profile(home.surroundings).error(), "cannot be read"));
}

}  // namespace
}  // namespace perdure::dynamodb
