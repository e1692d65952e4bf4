import Crypto

/// The optional script of served pages: sorts tables by a click on a heading, and reloads a page after a commit.
enum ServedScript {
  /// The source text of the script.
  static let text = """
    "use strict";
    const seconds = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 };
    // Numbers and durations are compared as such; dates, versions and all else as texts.
    const number = text => {
      const plain = text.replaceAll(",", "");
      if (/^(\\d+(\\.\\d+)? (ms|s|m|h|d) ?)+$/.test(plain)) {
        return [...plain.matchAll(/([\\d.]+) ([a-z]+)/g)].reduce((sum, [, count, unit]) => sum + count * seconds[unit], 0);
      }
      const match = plain.match(/^[<>]?([-+]?\\d+(\\.\\d+)?)(?=$|[ %*–])/);
      return match ? parseFloat(match[1]) : NaN;
    };
    for (const table of document.querySelectorAll("table")) {
      const body = table.tBodies[0];
      const heads = [...table.tHead.rows[0].cells];
      heads.forEach((head, column) => {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => {
          const isUp = head.getAttribute("aria-sort") === "descending";
          heads.forEach(other => other.removeAttribute("aria-sort"));
          head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
          const value = rows => rows[0].cells[column] ? rows[0].cells[column].textContent.trim() : "";
          // Rows that continue one stay below it.
          const blocks = [];
          for (const row of body.rows) {
            const continues = row.className === "detail" || row.cells[0].textContent.startsWith("↳");
            if (continues && blocks.length) blocks[blocks.length - 1].push(row); else blocks.push([row]);
          }
          blocks.sort((a, b) => {
            const [x, y] = [number(value(a)), number(value(b))];
            if (!isNaN(x) && !isNaN(y)) return isUp ? x - y : y - x;
            // What has no number stays last.
            if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
            const order = value(a).localeCompare(value(b), "en", { numeric: true });
            return isUp ? order : -order;
          });
          body.append(...blocks.flat());
        });
      });
    }
    let seen;
    const look = async () => {
      if (document.hidden) return;
      const response = await fetch("/commit", { cache: "no-store" }).catch(() => null);
      const commit = response && response.ok ? await response.text() : seen;
      if (seen !== undefined && commit !== seen && !document.querySelector("form :focus")) location.reload();
      seen = commit;
    };
    look();
    setInterval(look, 15000);

    """

  /// The `Content-Security-Policy` of served pages: no external resources, only this script (by its hash), and
  /// forms only to this server.
  static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-\(base64(SHA256.hash(data: Array(text.utf8))))'; "
    + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

  /// Returns the Base64 encoding of bytes, with padding (RFC 4648).
  private static func base64(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        result.append(digits[Int(bits >> UInt32(count) & 63)])
      }
    }
    if count > 0 { result.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
    while result.count % 4 != 0 { result.append(UInt8(ascii: "=")) }
    return String(decoding: result, as: UTF8.self)
  }
}
