#!/bin/sh
# Makes the secrets of compose.yaml beside this file. What is there stays as it is.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
for name in database-password server-key server-token worker-key; do
  [ -s "secrets/$name" ] || od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n' >"secrets/$name"
done
# Comes from the server later.
[ -e secrets/worker-token ] || : >secrets/worker-token
