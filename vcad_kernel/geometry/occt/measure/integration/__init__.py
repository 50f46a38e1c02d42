"""Volume, area and moments of bodies as integrals: in closed form where there is one, else by quadrature."""
