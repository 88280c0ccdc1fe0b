// What an address names is unfolded, also in browsers that do not do so by themselves.
(() => {
  const unfold = () => {
    const folded = document.querySelector(':target')?.closest('details');
    if (!folded || folded.open) return;
    folded.open = true;
    folded.scrollIntoView();
  };
  document.addEventListener('DOMContentLoaded', unfold);
  addEventListener('hashchange', unfold);
})();
