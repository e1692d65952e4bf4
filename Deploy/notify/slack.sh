#!/bin/sh
# Posts what a night has to tell to a Slack channel, through an incoming webhook:
#
#   funnel nightly … --notify '/usr/local/share/funnel/notify/slack.sh /etc/funnel/slack.curl'
#
# Whoever knows the webhook's address may post, so it stands in a file that only the user of the nights may read (0600), not on a command
# line that others see. The file is one of curl's: url = "https://hooks.slack.com/services/…"
# Needs jq and curl.
set -eu

if [ $# -ne 1 ] || [ ! -r "$1" ]; then
  echo 'which webhook? Give a file with: url = "https://hooks.slack.com/services/…"' >&2
  exit 64
fi

# Slack reads <…> as links and mentions: https://api.slack.com/reference/surfaces/formatting#escaping
# It cuts texts of more than 40,000 characters.
post=$(jq -c '
  def plain: gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub(">"; "&gt;");
  {text: (["*funnel nightly*, \(.as_of | plain)"] + [.messages[] | "• \(.kind): \(.text | plain)"] | join("\n") | .[:39000])}')
printf '%s' "$post" |
  curl --fail --silent --show-error --max-time 20 --config "$1" \
    --header 'Content-Type: application/json' --data-binary @- --output /dev/null
