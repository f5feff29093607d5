// A page without explorers.
import './header.js';
