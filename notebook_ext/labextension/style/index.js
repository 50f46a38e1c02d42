import './agents.css';
import './asks.css';
import './loon.css';
import './side.css';
import './states.css';
import './views.css';
