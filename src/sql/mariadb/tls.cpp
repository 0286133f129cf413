// SPDX-License-Identifier: Apache-2.0
#include "tls.hpp"

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>

#include <errmsg.h>
#include <mysql/plugin_auth.h>

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {
namespace {

// What the certificate must be for; the library's plugins have no room for an argument of ours.
thread_local const char* name_of_server = nullptr;

template <std::size_t room>
void write(char (&into)[room], std::string_view text) noexcept {
    into[text.copy(into, room - 1)] = '\0';
}

void refuse(MYSQL& mysql, std::string_view why) noexcept {
    mysql.net.last_errno = CR_SSL_CONNECTION_ERROR;
    write(mysql.net.last_error, why);
    write(mysql.net.sqlstate, "HY000");
}

int before_handshake(MYSQL_PLUGIN_VIO* line, MYSQL* mysql) noexcept {
    if ((mysql->server_capabilities & CLIENT_SSL) == 0) {
        refuse(*mysql, "TLS error: it is required, but the server does not support it");
        return CR_ERROR;
    }
    const int socket = mysql_get_socket(mysql);
    (void)::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
    if (char* name = name_of_server ? ::strdup(name_of_server) : nullptr) {
        std::free(mysql->host);  // the library's, and it frees ours the same way
        mysql->host = name;
    }
    return line->write_packet(line, nullptr, 0) ? CR_ERROR : CR_OK;
}

// As in mysql/client_plugin.h, which some systems ship without what it includes.
struct AuthenticationPlugin {
    MYSQL_CLIENT_PLUGIN_HEADER
    int (*authenticate_user)(MYSQL_PLUGIN_VIO* line, MYSQL* mysql);
};
constexpr int authentication_plugin = 2;
constexpr unsigned interface_version = 0x0100;

constexpr const char* plugin_name = "perdure_tls";

AuthenticationPlugin plugin{.type = authentication_plugin,
                            .interface_version = interface_version,
                            .name = plugin_name,
                            .author = "perdure",
                            .desc = "stands between the greeting and the TLS handshake",
                            .version = {0, 1, 0},
                            .license = "Apache-2.0",
                            .mysql_api = nullptr,
                            .init = nullptr,
                            .deinit = nullptr,
                            .options = nullptr,
                            .authenticate_user = before_handshake};

}  // namespace

Encryption::Encryption(MYSQL& mysql, MariadbTls tls, const std::string& host,
                       const std::string& ca) {
    const my_bool on = tls != MariadbTls::off ? 1 : 0;
    const my_bool verified = tls == MariadbTls::verified ? 1 : 0;
    mysql_optionsv(&mysql, MYSQL_OPT_SSL_ENFORCE, &on);
    mysql_optionsv(&mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verified);
    if (!on) return;
    if (!ca.empty()) mysql_optionsv(&mysql, MYSQL_OPT_SSL_CA, ca.c_str());
    (void)mysql_client_register_plugin(&mysql, reinterpret_cast<st_mysql_client_plugin*>(&plugin));
    mysql_optionsv(&mysql, MYSQL_DEFAULT_AUTH, plugin_name);
    name_of_server = host.c_str();
}

Encryption::~Encryption() { name_of_server = nullptr; }

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
