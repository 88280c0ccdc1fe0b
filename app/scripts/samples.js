// The language of the reference's examples holds on its other pages too.
(() => {
  let memory;
  try {
    memory = localStorage;
  } catch {
    // Then it holds on its own page.
    return;
  }

  document.addEventListener('DOMContentLoaded', () => {
    const language = document.getElementById(memory['sample-language']);
    if (language) language.checked = true;
  });

  document.addEventListener('change', ({ target }) => {
    if (target.name === 'sample-language') memory['sample-language'] = target.id;
  });
})();
