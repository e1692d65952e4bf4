#!/bin/sh
# Posts what a night has to tell to a channel of Microsoft Teams, through the webhook of a workflow ("Post to a channel when a webhook request
# is received"):
#
#   funnel nightly … --notify '/usr/local/share/funnel/notify/teams.sh /etc/funnel/teams.curl'
#
# Whoever knows the webhook's address may post, so it stands in a file that only the user of the nights may read (0600), not on a command
# line that others see. The file is one of curl's: url = "https://…"
# Needs jq and curl.
set -eu

if [ $# -ne 1 ] || [ ! -r "$1" ]; then
  echo 'which webhook? Give a file with: url = "https://…"' >&2
  exit 64
fi

# A text run is shown as it is; a text block would read its underscores as Markdown. A card holds 28 KB.
post=$(jq -c '
  def line: {type: "RichTextBlock", inlines: [{type: "TextRun", text: .[:1500]}]};
  {
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      content: {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", type: "AdaptiveCard", version: "1.4",
        body: (
          [{type: "TextBlock", text: "funnel nightly", weight: "Bolder"}]
          + [.messages[:10][] | "\(.kind): \(.text)" | line]
          + (if (.messages | length) > 10 then ["and \((.messages | length) - 10) more, see status.json" | line] else [] end))
      }
    }]
  }')
printf '%s' "$post" |
  curl --fail --silent --show-error --max-time 20 --config "$1" \
    --header 'Content-Type: application/json' --data-binary @- --output /dev/null
