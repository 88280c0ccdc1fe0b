// The buttons of the guides that copy a piece of code, or select it where the browser lets only its user copy.
(() => {
  const copy = async (element) => {
    try {
      await navigator.clipboard.writeText(element.textContent);
      return 'done';
    } catch {
      getSelection().selectAllChildren(element);
      return 'selected';
    }
  };

  document.addEventListener('DOMContentLoaded', () => {
    for (const button of document.querySelectorAll('[data-copy]')) button.hidden = false;
  });

  document.addEventListener('click', async ({ target }) => {
    const button = target.closest('[data-copy]');
    if (!button) return;
    const outcome = await copy(document.getElementById(button.dataset.copy));
    button.classList.toggle('copied', outcome === 'done');
    button.firstElementChild.textContent = button.dataset[outcome];
  });
})();
