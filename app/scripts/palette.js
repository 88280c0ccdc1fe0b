// The command palette: over any page, what the page of searches finds of what is typed (the dialog and combobox patterns of the
// ARIA Authoring Practices Guide). Only the last search is shown, and the keyboard stays in the field.
(() => {
  const TYPING_DELAY = 150;

  const palette = () => document.getElementById('palette');
  const part = (role) => palette().querySelector(`[role=${role}]`);
  const options = () => [...palette().querySelectorAll('[role=option]')];
  const selected = () => palette().querySelector('[aria-selected=true]');

  const select = (option) => {
    for (const it of options()) it.setAttribute('aria-selected', String(it === option));
    part('combobox').setAttribute('aria-activedescendant', option?.id ?? '');
    option?.scrollIntoView({ block: 'nearest' });
  };

  const show = (page) => {
    const found = [...page.querySelectorAll('#found a')].map((link, number) => {
      const option = document.createElement('li');
      option.id = `palette-${number}`;
      option.setAttribute('role', 'option');
      option.dataset.path = link.getAttribute('href');
      option.append(...link.childNodes);
      return option;
    });
    part('listbox').replaceChildren(...found);
    part('combobox').setAttribute('aria-expanded', String(found.length > 0));
    part('status').textContent = page.getElementById('found-count')?.textContent ?? '';
    select(found[0]);
  };

  let searches = 0;
  const search = async () => {
    searches += 1;
    const number = searches;
    const form = palette().querySelector('form');
    const answer = await fetch(`${form.action}?${new URLSearchParams(new FormData(form))}`);
    // The session has ended.
    if (answer.redirected) return location.assign(answer.url);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (number === searches) show(page);
  };

  const open = () => {
    if (palette().open) return;
    palette().showModal();
    part('combobox').select();
    // Without an answer Enter asks for the page itself.
    search().catch(() => {});
  };

  /** Where a key leads from the option that is selected, if it is one of those that move. */
  const step = (key) => ({ ArrowDown: 1, ArrowUp: -1 })[key];

  document.addEventListener('keydown', (event) => {
    if (!palette()) return;
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      open();
    } else if (event.target === part('combobox') && !event.isComposing) {
      const all = options();
      if (step(event.key) && all.length > 0) {
        event.preventDefault();
        select(all[(all.indexOf(selected()) + step(event.key) + all.length) % all.length]);
      } else if (event.key === 'Enter' && selected()) {
        event.preventDefault();
        location.assign(selected().dataset.path);
      }
    }
  });

  let pause;
  document.addEventListener('input', ({ target }) => {
    if (!palette()?.contains(target)) return;
    clearTimeout(pause);
    // What was found before is not for what is typed now.
    select();
    pause = setTimeout(() => search().catch(() => {}), TYPING_DELAY);
  });

  document.addEventListener('click', (event) => {
    const { target } = event;
    if (!palette()) return;
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
    if (target.closest('[data-palette]') && isPlain) {
      event.preventDefault();
      open();
    } else if (target === palette()) {
      palette().close();
    } else if (palette().contains(target)) {
      const option = target.closest('[role=option]');
      if (option) location.assign(option.dataset.path);
    }
  });
})();
