# Keeps a PostgreSQL cluster until standard input ends: keeper.sh PROGRAMS FSYNC [PRIMARY]
# Writes the folder of its socket and its data when it answers. It is a standby of the cluster whose socket is in PRIMARY.
set -e
export LC_ALL=C
programs=$1 fsync=$2 primary=$3
folder=$(mktemp -d "${TMPDIR:-/tmp}/hato-postgres.XXXXXX")
stop() {
    "$programs/pg_ctl" --pgdata="$folder/data" --mode=immediate --silent stop >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap stop EXIT
if [ -n "$primary" ]; then
    "$programs/pg_basebackup" --pgdata="$folder/data" --host="$primary" --username=hato --checkpoint=fast \
        --write-recovery-conf --no-sync >"$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; exit 1; }
else
    "$programs/initdb" --pgdata="$folder/data" --auth=trust --username=hato --encoding=UTF8 --locale=C \
        --no-sync --no-instructions >"$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; exit 1; }
fi
cat >>"$folder/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$folder'
fsync = $fsync
full_page_writes = $fsync
max_connections = 300
END
"$programs/pg_ctl" --pgdata="$folder/data" --log="$folder/log" --silent --wait start >/dev/null 2>&1 \
    || { cat "$folder/log" >&2; exit 1; }
echo "$folder"
cat >/dev/null
