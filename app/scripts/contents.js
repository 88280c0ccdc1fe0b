// The contents of the reference mark the endpoint that one reads: the first that reaches into the upper half of the window.
(() => {
  const endpoints = [...document.querySelectorAll('.endpoint')];
  const seen = new Set();

  const mark = (endpoint) => {
    for (const link of document.querySelectorAll('.reference-contents li a')) {
      if (link.hash === `#${endpoint.id}`) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
    }
  };

  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) seen[isIntersecting ? 'add' : 'delete'](target);
      const current = endpoints.find((it) => seen.has(it));
      if (current) mark(current);
    },
    { rootMargin: '-20% 0px -50%' },
  );
  for (const endpoint of endpoints) observer.observe(endpoint);
})();
