#!/bin/sh
# Mails what a night has to tell:
#
#   funnel nightly … --notify '/usr/local/share/funnel/notify/mail.sh you@example.org'
#
# Needs jq, and a mail program that takes -s SUBJECT ADDRESS… (Debian: jq, bsd-mailx).
set -eu

if [ $# -eq 0 ]; then
  echo "to whom? Give an address: mail.sh you@example.org" >&2
  exit 64
fi
for address in "$@"; do
  case $address in
  -* | *[!A-Za-z0-9@._+-]*) echo "not an address: $address" >&2; exit 64 ;;
  esac
done

messages=$(cat)
subject=$(printf '%s' "$messages" | jq -r '
  "funnel: \(.messages | length) \(if (.messages | length) == 1 then "message" else "messages" end) of the night of \(.as_of[:10] | gsub("[^0-9-]"; ""))"')
# A message stays on its line, behind a dash: mail programs take a line that begins with ~ for a command, and one of a single dot for the end.
printf '%s' "$messages" | jq -r '.messages[] | "- \(.kind): \(.text | gsub("[[:cntrl:]]"; " "))"' | mail -s "$subject" "$@"
