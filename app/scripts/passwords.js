// The button beside a password that shows what is typed. It is hidden without scripts, and what was shown is hidden before it is sent,
// so that browsers keep it as a password.
(() => {
  const field = (button) => document.getElementById(button.getAttribute('aria-controls'));

  const show = (button, shown) => {
    field(button).type = shown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(shown));
  };

  document.addEventListener('DOMContentLoaded', () => {
    for (const button of document.querySelectorAll('.show-password')) button.hidden = false;
  });

  document.addEventListener('click', ({ target }) => {
    const button = target.closest('.show-password');
    if (button) show(button, button.getAttribute('aria-pressed') !== 'true');
  });

  document.addEventListener(
    'submit',
    ({ target }) => {
      for (const button of target.querySelectorAll('.show-password')) show(button, false);
    },
    true,
  );
})();
