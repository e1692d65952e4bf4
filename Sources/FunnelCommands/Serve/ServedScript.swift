import Crypto

/// The script of served pages, for comfort: tables are sorted by a click on a heading, and a page is loaded again after a commit.
///
/// Pages work without it. It is the only one that the policy of the pages allows, by its hash.
enum ServedScript {
  static let text = """
    "use strict";
    const number = text => {
      const match = text.replaceAll(",", "").match(/^[<>]?[-+]?\\d+(\\.\\d+)?/);
      return match ? parseFloat(match[0].replace(/[<>]/, "")) : NaN;
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
          const value = row => row.cells[column] ? row.cells[column].textContent : "";
          const rows = [...body.rows].sort((a, b) => {
            const [x, y] = [number(value(a)), number(value(b))];
            if (isNaN(x) || isNaN(y)) return isNaN(x) && isNaN(y) ? value(a).localeCompare(value(b)) : isNaN(x) ? 1 : -1;
            return isUp ? x - y : y - x;
          });
          body.append(...rows);
        });
      });
    }
    let seen;
    const look = async () => {
      const response = await fetch("/commit", { cache: "no-store" }).catch(() => null);
      const commit = response && response.ok ? await response.text() : seen;
      if (seen !== undefined && commit !== seen && !document.querySelector("form :focus")) location.reload();
      seen = commit;
    };
    if (document.querySelector(".sources")) { look(); setInterval(look, 15000); }

    """

  /// The policy of served pages (Content Security Policy Level 3): nothing is loaded, one script is run, forms are sent here alone.
  static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-\(base64(SHA256.hash(data: Array(text.utf8))))'; "
    + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

  private static func base64(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var (result, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
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
