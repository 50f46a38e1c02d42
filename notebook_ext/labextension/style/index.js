import './loon.css';
