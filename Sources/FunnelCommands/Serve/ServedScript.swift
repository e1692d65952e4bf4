import Crypto

/// The optional script of served pages: sorts tables by a click on a heading, saves charts as SVG and PNG, closes an
/// open chip by a click beside it or the Escape key, and reloads a page after a commit.
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
    // A chart as a file of its own has the styles that the page shows.
    const styles = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity", "font-family",
      "font-size", "font-weight", "text-anchor", "display"];
    const drawn = svg => {
      const copy = svg.cloneNode(true);
      const shown = [...svg.querySelectorAll("*")];
      [...copy.querySelectorAll("*")].forEach((part, index) => {
        const style = getComputedStyle(shown[index]);
        for (const name of styles) part.style.setProperty(name, style.getPropertyValue(name));
        part.removeAttribute("href");
      });
      const box = svg.getBoundingClientRect();
      copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      copy.setAttribute("width", box.width);
      copy.setAttribute("height", box.height);
      copy.style.background = getComputedStyle(document.body).backgroundColor;
      return new XMLSerializer().serializeToString(copy);
    };
    const save = (name, address) => {
      const link = document.createElement("a");
      link.download = name;
      link.href = address;
      link.click();
    };
    document.querySelectorAll("figure > svg").forEach((svg, index) => {
      const row = document.createElement("p");
      row.className = "save";
      for (const kind of ["SVG", "PNG"]) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = kind;
        button.setAttribute("aria-label", `Save chart ${index + 1} as ${kind}`);
        button.addEventListener("click", () => {
          const address = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(drawn(svg));
          if (kind === "SVG") return save(`chart-${index + 1}.svg`, address);
          const image = new Image();
          image.addEventListener("load", () => {
            const canvas = document.createElement("canvas");
            canvas.width = 2 * image.width;
            canvas.height = 2 * image.height;
            canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
            save(`chart-${index + 1}.png`, canvas.toDataURL("image/png"));
          });
          image.src = address;
        });
        row.append(button);
      }
      svg.closest("figure").append(row);
    });
    const closeChips = except => document.querySelectorAll(".chip[open]").forEach(chip => {
      if (chip !== except) chip.open = false;
    });
    document.addEventListener("click", event => closeChips(event.target.closest(".chip")));
    document.addEventListener("keydown", event => {
      if (event.key !== "Escape") return;
      const chip = document.activeElement.closest(".chip[open]");
      closeChips();
      if (chip) chip.querySelector("summary").focus();
    });
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
