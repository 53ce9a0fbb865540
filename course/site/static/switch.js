// The link to a page in another language leads to the section of it that is being read here: anchors
// are the same in all languages.
for (const link of document.querySelectorAll("a.edition")) {
  const page = link.href;
  link.addEventListener("click", () => {
    const sections = [...document.querySelectorAll("main section[id]")];
    const begun = sections.filter((one) => one.getBoundingClientRect().top < innerHeight / 3);
    link.href = page + location.search + (scrollY > 0 && begun.length ? `#${begun.at(-1).id}` : "");
  });
}
