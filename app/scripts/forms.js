// Forms: what browsers can tell is said below each field that is wrong, instead of a bubble over the first of them; and what the
// server refuses is said without leaving the page, so that everything typed stays, passwords included.
(() => {
  const ERROR = '[data-form-error]';

  /** Says below the field what is wrong with it; nothing takes that back. */
  const say = (field, text) => {
    const place = field.closest('.field, fieldset') ?? field.parentElement;
    let said = place.querySelector(':scope > .wrong');
    if (!text) {
      said?.remove();
      field.removeAttribute('aria-invalid');
      return;
    }
    if (!said) {
      said = document.createElement('p');
      said.className = 'wrong';
      said.id = `${field.id || field.name}-wrong`;
      place.append(said);
    }
    said.textContent = text;
    field.setAttribute('aria-invalid', 'true');
    const described = new Set((field.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean));
    field.setAttribute('aria-describedby', [...described.add(said.id)].join(' '));
  };

  /** Brings to the field, also out of what is folded away. */
  const lead = (field) => {
    for (let folded = field.closest('details'); folded; folded = folded.parentElement.closest('details')) folded.open = true;
    field.focus();
  };

  let first;
  document.addEventListener(
    'invalid',
    (event) => {
      event.preventDefault();
      const field = event.target;
      const { empty, wrong } = field.dataset;
      say(field, (field.validity.valueMissing ? empty : wrong) ?? field.validationMessage);
      if (!first) {
        first = field;
        // After the events of all fields.
        setTimeout(() => {
          lead(first);
          first = undefined;
        });
      }
    },
    true,
  );

  document.addEventListener('input', ({ target }) => {
    if (target.getAttribute('aria-invalid') && target.validity.valid) say(target);
  });

  /** Where what is wrong with the form as a whole is said: in it, or in what is nearest around it. */
  const errorPlace = (form) => {
    for (let near = form; near; near = near.parentElement) {
      const place = near.querySelector(ERROR);
      if (place) return place;
    }
    return undefined;
  };

  /** Says in the open page what the page that the server would have led to says of the form. */
  const refuse = (form, page) => {
    document.querySelectorAll('.note.success').forEach((note) => note.remove());
    for (const place of document.querySelectorAll(ERROR)) {
      const fresh = page.querySelector(`[data-form-error="${place.dataset.formError}"]`);
      place.replaceChildren(...(fresh?.childNodes ?? []));
    }
    const notes = [...document.querySelectorAll(`${ERROR} > *`)];
    const sentence = page.querySelector('[data-refusal]');
    if (sentence && notes.length === 0) {
      const note = document.createElement('div');
      note.className = 'note error';
      note.setAttribute('role', 'alert');
      note.append(...sentence.childNodes);
      errorPlace(form)?.append(note);
      notes.push(note);
    }
    for (const field of form.elements) {
      const fresh = field.id && page.getElementById(field.id);
      const said = fresh && page.getElementById(`${field.id}-wrong`);
      say(field, said?.textContent);
      if (fresh && fresh.getAttribute('aria-invalid')) field.setAttribute('aria-invalid', 'true');
    }
    form.querySelector('[aria-invalid]')?.focus({ preventScroll: notes.length > 0 });
    if (notes.length === 0) return;
    // No further down than the note needs, so that the header stays in sight where there is room for both.
    scrollTo(0, 0);
    notes[0].scrollIntoView({ block: 'nearest' });
  };

  const go = (path) => {
    const to = new URL(path, location.href);
    // To a place in the open page a browser only scrolls.
    if (to.pathname === location.pathname && to.search === location.search) to.hash = '';
    location.assign(to);
  };

  /** Posts the form and goes on to where the server leads, unless that is back here. */
  const post = async (form, action) => {
    const body = new URLSearchParams(new FormData(form));
    const answer = await fetch(action, { method: 'POST', body, headers: { accept: '*/*', 'x-hato-form': 'stay' } });
    const next = answer.headers.get('location');
    if (next && (answer.ok || new URL(next, location.href).pathname !== location.pathname)) return go(next);
    const html = next ? await (await fetch(next)).text() : await answer.text();
    return refuse(form, new DOMParser().parseFromString(html, 'text/html'));
  };

  document.addEventListener('submit', (event) => {
    const form = event.target;
    const action = form.getAttribute('action');
    if (event.defaultPrevented || !action?.startsWith('/_app/') || !form.querySelector('.field, fieldset')) return;
    event.preventDefault();
    const button = event.submitter ?? form;
    if (button.getAttribute('aria-disabled')) return;
    button.setAttribute('aria-disabled', 'true');
    // Without an answer it is the browser's to say so.
    post(form, action)
      .catch(() => form.submit())
      .finally(() => button.removeAttribute('aria-disabled'));
  });
})();
