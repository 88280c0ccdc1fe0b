// Questions before what cannot be undone, and menus: Escape and a click beside them close them again.
(() => {
  const openQuestion = () => document.querySelector('details:is(.confirm, .menu)[open]');

  document.addEventListener('keydown', ({ key }) => {
    const question = key === 'Escape' && openQuestion();
    if (!question) return;
    question.open = false;
    question.querySelector('summary').focus();
  });

  document.addEventListener('click', ({ target }) => {
    const question = openQuestion();
    if (question && !question.contains(target)) question.open = false;
  });
})();
