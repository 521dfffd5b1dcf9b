import './base.css';
import './grid.css';
import './sidebar.css';
import './frames.css';
import './page.css';
import './imports.css';
import './sql.css';
import './notebook.css';
