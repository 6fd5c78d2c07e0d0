// Everything works without this. With it: where one is, search as one types, and patches in
// their place.
"use strict";

for (const link of document.querySelectorAll("nav a")) {
  if (link.pathname === location.pathname) link.setAttribute("aria-current", "page");
}

const part = async (href, signal) => {
  const url = new URL(href, location.href);
  url.searchParams.set("part", "1");
  const answer = await fetch(url, { signal, credentials: "same-origin" });
  return answer.text();
};

for (const form of document.querySelectorAll("form.live")) {
  const results = document.getElementById(form.dataset.results);
  let waiting = 0;
  let asking = null;
  const ask = async () => {
    asking?.abort();
    asking = new AbortController();
    const fields = [...new FormData(form)].filter(([, value]) => value !== "");
    const href = `${form.getAttribute("action")}?${new URLSearchParams(fields)}`;
    results.setAttribute("aria-busy", "true");
    try {
      results.innerHTML = await part(href, asking.signal);
      results.removeAttribute("aria-busy");
      history.replaceState(null, "", href);
    } catch (error) {
      if (error.name !== "AbortError") results.textContent = "The server does not answer.";
    }
  };
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 180);
  });
}

document.addEventListener("toggle", async (event) => {
  const details = event.target;
  if (!details.open || !details.dataset?.part) return;
  const href = details.dataset.part;
  delete details.dataset.part;
  const place = document.createElement("div");
  place.innerHTML = await part(href);
  details.append(place);
}, true);
