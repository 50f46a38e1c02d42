import './agents.css';
import './asks.css';
import './loon.css';
import './side.css';
import './views.css';
