// What is wider or higher than its place is reached by Tab, so that it can be scrolled by keys, too; where it fits it is not.
const sizes = new ResizeObserver((entries) => {
  for (const { target: node } of entries) {
    if (node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight) node.tabIndex = 0;
    else node.removeAttribute('tabindex');
  }
});

export function scrolling(node) {
  sizes.observe(node);
  return node;
}

document.querySelectorAll('main :is(pre, .wide, .formula)').forEach(scrolling);
