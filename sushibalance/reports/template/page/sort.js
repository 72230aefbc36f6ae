// A heading sorts its table: once upwards, again downwards. Without this script tables are as they were written.
for (const table of document.querySelectorAll(".scroll table")) {
  const rows = table.tBodies[0];
  if (!rows || rows.rows.length < 2) continue;
  const order = [...rows.rows];
  const value = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const found = text.replace(/\u2212/g, "-").replace(/,(?=\d{3})/g, "").match(/^[^\w(-]*\+?(-?\d+(?:\.\d+)?)/);
    return [found ? parseFloat(found[1]) : NaN, text];
  };
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    heading.append(button);
    button.onclick = () => {
      const up = heading.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", up ? "ascending" : "descending");
      const keyed = order.map((row, index) => [...value(row, column), index, row]);
      const numeric = keyed.filter(([, text]) => text).every(([number]) => !isNaN(number));
      keyed.sort((a, b) => {
        if (!a[1] || !b[1]) return !a[1] - !b[1] || a[2] - b[2];
        const way = numeric ? a[0] - b[0] : a[1].localeCompare(b[1], "en", { numeric: true });
        return (up ? way : -way) || a[2] - b[2];
      });
      rows.append(...keyed.map((entry) => entry[3]));
    };
  });
}
