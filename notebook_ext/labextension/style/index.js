import './agents.css';
import './asks.css';
import './loon.css';
import './views.css';
