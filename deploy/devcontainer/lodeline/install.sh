#!/bin/sh
# Runs once, as root, when the image is made. The options of devcontainer-feature.json come as variables.
set -eu

if [ -z "${SERVER:-}" ]; then
  echo "The feature lodeline needs the option server." >&2
  exit 1
fi
command -v lode >/dev/null || npm install --global "lodeline@${VERSION:-latest}"

folder=/usr/local/share/lodeline
mkdir -p "$folder" /var/lib/lodeline
# The volume takes over owner and rights of this folder.
chown "${_REMOTE_USER:-root}" /var/lib/lodeline
chmod 700 /var/lib/lodeline

quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }
server=$(quoted "$SERVER")
name=$(quoted "${NAME:-dev}")

cat >"$folder/enter" <<END
#!/bin/sh
# Lets the worker in by a code, once. Without one, say how.
if lode worker enter --name $name --server $server >/dev/null 2>&1; then exit 0; fi
if [ -n "\${LODELINE_CODE:-}" ]; then
  printf %s "\$LODELINE_CODE" | lode worker enter - --name $name --server $server
else
  echo "Lodeline: run 'lode worker enroll' at the server, then here: lode worker enter CODE --server" $server
fi
END

cat >"$folder/start" <<END
#!/bin/sh
# Starts the worker, which outlives the command that starts it.
log="\$LODELINE_HOME/log/worker.log"
mkdir -p "\$LODELINE_HOME/log"
setsid lode work --name $name --server $server >>"\$log" 2>&1 </dev/null &
END
chmod 755 "$folder/enter" "$folder/start"
