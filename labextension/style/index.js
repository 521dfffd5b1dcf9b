import './base.css';
import './grid.css';
