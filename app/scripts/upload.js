// A form that uploads a file: how far it is, and what became of it in the open page, in which the chosen file stays for the next step.
(() => {
  /** Posts the form; says how much of it is sent, from 0 to 1. */
  const post = (form, action, progress) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open('POST', action);
      request.responseType = 'document';
      request.upload.addEventListener('progress', ({ loaded, total }) => total > 0 && progress(loaded / total));
      request.upload.addEventListener('load', () => progress(1));
      request.addEventListener('load', () => resolve(request));
      request.addEventListener('error', reject);
      request.send(new FormData(form));
    });

  /** Shows how far it is; what is sent as a whole is waited for. */
  const show = (form, part) => {
    const bar = form.querySelector('progress');
    if (part < 1) bar.value = part;
    else bar.removeAttribute('value');
    const { sending, working } = form.dataset;
    const said = part < 1 ? sending.replace('{}', Math.floor(part * 100)) : working;
    bar.parentElement.querySelector('[role=status]').textContent = said;
  };

  const refuse = (outcome, text) => {
    const note = document.createElement('div');
    note.className = 'note error';
    note.setAttribute('role', 'alert');
    note.append(Object.assign(document.createElement('p'), { textContent: text }));
    outcome.replaceChildren(note);
  };

  const upload = async (form, action) => {
    const outcome = document.getElementById(form.dataset.upload);
    const file = form.querySelector('[type=file]').files[0];
    if (file?.size > form.dataset.maxBytes) return refuse(outcome, form.dataset.tooLarge);
    const bar = form.querySelector('progress').parentElement;
    const buttons = [...document.querySelectorAll('button')].filter((it) => it.form === form);
    show(form, 0);
    bar.hidden = false;
    for (const button of buttons) button.setAttribute('aria-disabled', 'true');
    try {
      const answer = await post(form, action, (part) => show(form, part));
      const fresh = answer.response?.getElementById(outcome.id);
      // Elsewhere is where one logs in, or what explains why there is no such page.
      if (!fresh) return location.assign(answer.responseURL);
      outcome.replaceChildren(...fresh.childNodes);
    } catch {
      refuse(outcome, form.dataset.notSent);
    } finally {
      bar.hidden = true;
      for (const button of buttons) button.removeAttribute('aria-disabled');
    }
    outcome.scrollIntoView({ block: 'nearest' });
  };

  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    // A file is saved by the browser itself.
    if (!form.matches('[data-upload]') || submitter?.hasAttribute('data-file')) return;
    event.preventDefault();
    if (submitter?.getAttribute('aria-disabled')) return;
    upload(form, submitter?.getAttribute('formaction') ?? form.action);
  });
})();
