# frozen_string_literal: true

# The host's observer classes have no methods of their own; what a subclass defines is called.
module Sketchup
  class EntityObserver; end
  class DefinitionObserver < EntityObserver; end
  class InstanceObserver < EntityObserver; end
  class EntitiesObserver; end
  class DefinitionsObserver; end
  class ModelObserver; end
  class SelectionObserver; end
  class LayersObserver; end
  class MaterialsObserver; end
  class PagesObserver; end
  class OptionsProviderObserver; end
  class RenderingOptionsObserver; end
  class ViewObserver; end
  class ToolsObserver; end
  class FrameChangeObserver; end
  class ShadowInfoObserver; end
end
