// Drives the pages in Chromium and ends with an error at the first thing that is not so.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, told] = process.argv.slice(2);
const facts = JSON.parse(told);
const { chromium } = createRequire(join(packages, "package.json"))("playwright-core");
const shots = process.env.HEADWATER_SHOTS;
const [base, head] = facts.window.split("..");
const ends = new URLSearchParams({ upstream: "ollama", base, head, model: facts.model, backend: facts.backend });
const report = `/why?${ends}`;
const pages = {
  home: "/",
  form: "/why",
  report,
  ledger: "/ledger?upstream=ollama&knob=repeat_penalty",
  values: "/ledger?upstream=ollama",
  grep: "/grep?q=RepeatPenalty",
  hostile: `/commit?upstream=ollama&sha=${facts.hostile}`,
  digest: `/digest?week=${facts.week}`,
  models: "/models",
  pins: "/pins",
  ...facts.more,
};

const options = {
  executablePath: process.env.HEADWATER_CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
};
const seconds = 20_000;

/** A tab that fails on whatever a page should not do. */
async function tab(browser, settings, run, url = facts.url) {
  const context = await browser.newContext({ baseURL: url, ...settings });
  const page = await context.newPage();
  page.setDefaultTimeout(seconds);
  const faults = [];
  page.on("console", (line) => line.type() === "error" && faults.push(line.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("dialog", (dialog) => { faults.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) faults.push(`asked elsewhere: ${request.url()}`);
  });
  await run(page);
  assert.deepEqual(faults, []);
  await context.close();
}

async function shot(page, name) {
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

const looks = {
  "wide-light": { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  "wide-dark": { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  "narrow-light": { viewport: { width: 360, height: 740 }, colorScheme: "light" },
};

const browser = await chromium.launch(options);
try {
  for (const [look, settings] of Object.entries(looks)) {
    await tab(browser, settings, async (page) => {
      for (const [name, path] of Object.entries(pages)) {
        const answer = await page.goto(path);
        assert.equal(answer.status(), 200, path);
        assert.equal(await page.locator("main").count(), 1, path);
        assert.match(await page.title(), /headwater$/);
        // A wide table scrolls by itself; the page does not.
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${path} is ${over} px wider than a ${look} screen`);
        await shot(page, `${name}-${look}`);
      }
    });
  }

  // The keyboard alone: past the head, through the box, to a report, and into a patch.
  await tab(browser, looks["wide-light"], async (page) => {
    await page.goto("/");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await page.goto("/");
    for (let at = 0; at < 20 && (await page.evaluate(() => document.activeElement.id)) !== "go"; at++) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.type(facts.window);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/why\?/);
    await page.goto(report);
    const patch = page.locator("details.patch-of").first();
    await patch.locator("summary").focus();
    await page.keyboard.press("Enter");
    await patch.locator(".patch .matters").first().waitFor();
    await shot(page, "patch-in-place");
    const outline = await patch.locator("summary").evaluate((one) => getComputedStyle(one).outlineStyle);
    assert.notEqual(outline, "none", "what has the focus is seen");
  });

  // Grep answers as one types, and its address can be passed on.
  await tab(browser, looks["wide-light"], async (page) => {
    await page.goto("/grep");
    await page.locator("main input[name=q]").pressSequentially("RepeatPenal");
    await page.locator("#results article.hit mark").first().waitFor();
    await page.waitForURL(/q=RepeatPenal/);
    await page.locator("main input[name=q]").fill("no such line anywhere");
    await page.locator("#results", { hasText: "no commit matches" }).waitFor();
    await page.locator("main input[name=q]").fill("(");
    await page.locator("#results [role=alert]").waitFor();
  });

  // Without JavaScript.
  await tab(browser, { ...looks["wide-light"], javaScriptEnabled: false }, async (page) => {
    await page.goto("/grep");
    await page.locator("main input[name=q]").fill("RepeatPenalty");
    await page.locator("main form button").click();
    await page.locator("#results article.hit").first().waitFor();
    await page.goto("/why");
    await page.locator("input[name=base]").fill(base);
    await page.locator("input[name=head]").fill(head);
    await page.locator("main form button").click();
    await page.locator("article.report h1").waitFor();
    await page.locator("details.patch-of summary").first().click();
    await page.locator("details.patch-of a").first().click();
    await page.locator(".patch .added").first().waitFor();
  });

  // A page that is begun before its answer is there: the same, and what was told while one
  // waited is seen no more.
  for (const javaScriptEnabled of [true, false]) {
    await tab(browser, { ...looks["wide-light"], javaScriptEnabled }, async (page) => {
      // What was answered before is there at once.
      await page.goto(`${report}&top=${javaScriptEnabled ? 5 : 6}`);
      await page.locator("article.report h1").waitFor();
      assert.ok(await page.locator(".waiting").count() > 0);
      assert.equal(await page.locator(".waiting").filter({ visible: true }).count(), 0);
      await page.locator("details.patch-of summary").first().click();
    }, facts.begun);
  }

  // A stranger's markup is text, and runs nowhere.
  await tab(browser, looks["wide-light"], async (page) => {
    await page.goto(pages.hostile);
    assert.equal(await page.locator("main img, main script, main iframe").count(), 0);
    assert.match(await page.locator("main").innerText(), /<[a-z]/);
  });
} finally {
  await browser.close();
}
