# Keeps a PgBouncer in transaction mode until standard input ends: pooler.sh PROGRAM FOLDER_OF_THE_CLUSTER USER
# Writes the folder of its socket when it answers.
set -e
export LC_ALL=C
program=$1 cluster=$2 user=$3
folder=$(mktemp -d "${TMPDIR:-/tmp}/hato-pgbouncer.XXXXXX")
pooler=
stop() {
    [ -z "$pooler" ] || { kill "$pooler" && wait "$pooler"; } 2>/dev/null || true
    rm -rf "$folder"
}
trap stop EXIT
cat >"$folder/pgbouncer.ini" <<END
[databases]
* = host=$cluster user=$user
[pgbouncer]
pool_mode = transaction
auth_type = any
unix_socket_dir = $folder
max_client_conn = 500
default_pool_size = 5
END
# Versions from 1.24 on keep prepared statements for their clients unless told not to; those before 1.21 do not know the setting.
version=$("$program" --version | sed -n 's/^PgBouncer //p')
if [ "$(printf '%s\n' 1.21 "$version" | sort -V | head -n 1)" = 1.21 ]; then
    echo "max_prepared_statements = 0" >>"$folder/pgbouncer.ini"
fi
"$program" "$folder/pgbouncer.ini" >"$folder/log" 2>&1 </dev/null &
pooler=$!
until [ -S "$folder/.s.PGSQL.6432" ]; do
    kill -0 "$pooler" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
    sleep 0.05
done
echo "$folder"
cat >/dev/null
