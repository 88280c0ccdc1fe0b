// Visits every page of the dashboard in every state, as visitor and as owner.

import { type Browser, type BrowserContextOptions, type Page, expect } from '@playwright/test';

import { type DashboardStates, routes } from './dashboard-states.ts';
import { type GuardedPage, openLoggedIn, openGuarded } from './console-guard.ts';

/** The names of the states to visit; all by default. */
const only = process.env.HATO_PAGES?.split(',');

/** A way to show the dashboard: its width, theme and language. */
export interface Appearance {
  name: string;
  options: BrowserContextOptions;
}

/** Every combination of these widths with both themes and both languages. */
export function allAppearances(widths: number[]): Appearance[] {
  const appearances: Appearance[] = [];
  for (const width of widths) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const locale of ['ja-JP', 'en-GB']) {
        const options = { locale, colorScheme, viewport: { width, height: 900 } };
        appearances.push({ name: `${width}-${colorScheme}-${locale.slice(0, 2)}`, options });
      }
    }
  }
  return appearances;
}

/** Visits every state. Fails when a page of the dashboard is not among them, or a console says anything. */
export async function visitAllPages(
  browser: Browser,
  hato: string,
  states: DashboardStates,
  options: BrowserContextOptions,
  inspect: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  expect(await unvisited(states), 'pages without a state').toEqual([]);
  const open = new Map<string | undefined, GuardedPage>();
  const enter = async (session?: string) => {
    const settings = { baseURL: hato, ...options };
    const guarded = await (session ? openLoggedIn(browser, hato, session, settings) : openGuarded(browser, settings));
    open.set(session, guarded);
    return guarded;
  };
  for (const { name, path, session, prepare, shows } of states.all) {
    if (only && !only.includes(name)) continue;
    const { page } = open.get(session) ?? (await enter(session));
    await page.goto(path);
    await prepare?.(page);
    if (shows) await expect(page.locator(shows).first(), name).toBeVisible();
    await waitForHydration(page);
    await inspect(page, name);
  }
  for (const { page, consoleErrors } of open.values()) {
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  }
}

/** The routes of the dashboard that no state visits. */
async function unvisited(states: DashboardStates): Promise<string[]> {
  const paths = states.all.map(({ path }) => new URL(path, 'http://localhost').pathname);
  const patterns = await routes();
  const like = (pattern: string) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`);
  return patterns.filter((pattern) => !paths.some((path) => like(pattern).test(path)));
}

/** Resolves once the page's islands are hydrated. */
async function waitForHydration(page: Page): Promise<void> {
  const isHydrated = () => !document.querySelector('button.copy[hidden]');
  await page.waitForFunction(isHydrated, undefined, { timeout: 30_000 });
}
