// Sites of a test's own, as files by name.

/** The line that a site's worker needs. */
export const importLine = 'importScripts("https://push.example.com/sdk/sw.js");\n';

const head = '<!doctype html><html lang="ja"><meta charset="utf-8"><title>はとパン</title><link rel="icon" href="data:,">';

/** A page that says its state and has a button to subscribe; `script` is what else it does, such as hato.init. */
export function siteFiles(script: string): Record<string, string> {
  const body = '<output id="state"></output><button id="subscribe" type="button">通知を受け取る</button>';
  const scripts = '<script src="https://push.example.com/sdk/hato.js"></script><script src="/site.js"></script>';
  const wiring = `
    hato.onChange((state) => { document.querySelector("#state").textContent = state; });
    document.querySelector("#subscribe").onclick = () => hato.subscribe();`;
  return { 'index.html': head + body + scripts, 'site.js': wiring + script, 'hato-sw.js': importLine };
}

/** The expression that calls hato.init, with options beside the usual ones. */
export function init(options = ''): string {
  return `hato.init({ baseUrl: "https://push.example.com", appKey: "pk_subscribe_only", ${options} })`;
}
